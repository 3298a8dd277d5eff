// Icons of buttons, drawn on a square of 24.
const svg = (path) => `<svg viewBox="0 0 24 24" width="20" height="20" fill="none" stroke="currentColor" stroke-width="1.9" stroke-linecap="round" stroke-linejoin="round" aria-hidden="true">${path}</svg>`;

export const icons = {
  play: svg('<path d="M7 4.5v15l12-7.5z" fill="currentColor"/>'),
  pause: svg('<path d="M8 5v14M16 5v14" stroke-width="3.4"/>'),
  loop: svg('<path d="M17 2.5 20.5 6 17 9.5M3.5 11V9a3 3 0 0 1 3-3h14M7 21.5 3.5 18 7 14.5M20.5 13v2a3 3 0 0 1-3 3h-14"/>'),
  options: svg('<path d="M4 7h10M18 7h2M4 17h2M10 17h10"/><circle cx="16" cy="7" r="2.1"/><circle cx="8" cy="17" r="2.1"/>'),
  dark: svg('<path d="M20 14.5A8.5 8.5 0 1 1 9.5 4 6.6 6.6 0 0 0 20 14.5z"/>'),
  picture: svg('<path d="M4 8h3.5L9 5.5h6L16.5 8H20v11H4z"/><circle cx="12" cy="13" r="3.4"/>'),
  full: svg('<path d="M4 9V4h5M20 9V4h-5M4 15v5h5M20 15v5h-5"/>'),
  help: svg('<path d="M9.2 9a2.9 2.9 0 1 1 4.1 2.7c-.8.4-1.3 1-1.3 1.9v.4"/><path d="M12 17.6v.1" stroke-width="2.6"/>'),
  home: svg('<path d="M4 11.5 12 4.5l8 7M6.5 10v9h11v-9"/>'),
  close: svg('<path d="M6 6l12 12M18 6 6 18"/>'),
};
