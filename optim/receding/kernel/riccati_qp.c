/* The quadratic programme of an iteration by primal-dual active sets (Hintermueller, Ito & Kunisch 2003): inputs at limits
   are fixed, the rest is solved by the Riccati recursion, inputs that leave their limits become fixed and fixed ones whose
   multipliers have the wrong sign become free, until none does. A recursion goes on from the last stage that changed. What
   limits on states or rates act on, or does not end so, is left to the interior-point method on the condensed programme. */

/* Cost-to-go of a stage, and how its free inputs follow from its state. Returns whether curvature is not positive. */
HOT static int stage_back(const programme *d, int k) {
    double t[NX];
    memcpy(t, rc.p[k + 1], sizeof t);
    added_row(t, d->b[k], 1, rc.P, NX, NX, NX, 1.0);
    double *G = rc.G[k], *M = rc.M[k], *g = rc.g[k], *L = rc.L[k], *W = rc.W[k], *w = rc.w[k];
    multiplied(rc.PB, NU, rc.P, NX, 0, d->B[k], NU, NX, NX, NU, 0);
    memcpy(G, d->S[k], sizeof rc.G[k]);
    multiplied(G, NX, rc.PB, NU, 1, d->A[k], NX, NU, NX, NX, 1);
    memcpy(M, d->R[k], sizeof rc.M[k]);
    multiplied(M, NU, d->B[k], NU, 1, rc.PB, NU, NU, NX, NU, 1);
    memcpy(g, d->r[k], sizeof rc.g[k]);
    added_row(g, t, 1, d->B[k], NU, NX, NU, 1.0);
    /* Of free inputs. */
    int m = 0;
    for (int i = 0; i < NU; i++)
        if (!rc.at[k][i]) rc.free[k][m++] = i;
    rc.count[k] = m;
    for (int a = 0; a < m; a++) {
        const int i = rc.free[k][a];
        memcpy(W + a * NX, G + i * NX, sizeof(double) * NX);
        w[a] = g[i];
        for (int j = 0; j < NU; j++)
            if (rc.at[k][j]) w[a] += M[i * NU + j] * rc.bound[k][j];
        for (int c = 0; c <= a; c++) L[a * NU + c] = M[i * NU + rc.free[k][c]];
    }
    for (int a = 0; a < m; a++) {
        double *la = L + a * NU, pivot = la[a];
        for (int c = 0; c < a; c++) {
            double sum = la[c];
            for (int l = 0; l < c; l++) sum -= la[l] * L[c * NU + l];
            la[c] = sum / L[c * NU + c];
            pivot -= la[c] * la[c];
        }
        if (!(pivot > 0.0)) return 1;
        la[a] = sqrt(pivot);
        added_row(W + a * NX, la, 1, W, NX, a, NX, -1.0);
        for (int l = 0; l < a; l++) w[a] -= la[l] * w[l];
        for (int c = 0; c < NX; c++) W[a * NX + c] /= la[a];
        w[a] /= la[a];
    }
    if (!k) return 0;
    double *P = rc.P, *p = rc.p[k];
    memset(rc.PA, 0, sizeof rc.PA);
    multiplied(rc.PA, NX, P, NX, 0, d->A[k], NX, NX, NX, NX, 1);
    from_triangle(d->Q[k], NX, P);
    added_symmetric(P, NX, d->A[k], NX, rc.PA, NX, NX, NX, 1.0);
    added_symmetric(P, NX, W, NX, W, NX, NX, m, -1.0);
    double *row = rc.triangle[k];
    for (int i = 0; i < NX; i++, row += i) memcpy(row, P + i * NX, sizeof(double) * (i + 1));
    from_triangle(rc.triangle[k], NX, P);
    memcpy(p, d->q[k], sizeof rc.p[k]);
    added_row(p, t, 1, d->A[k], NX, NX, NX, 1.0);
    for (int j = 0; j < NU; j++)
        if (rc.at[k][j]) added_row(p, &rc.bound[k][j], 1, G + j * NX, NX, 1, NX, 1.0);
    added_row(p, w, 1, W, NX, m, NX, -1.0);
    return 0;
}

/* Inputs and states from the known first state on. */
HOT static void forwards(programme *d) {
    for (int k = 0; k < N; k++) {
        const int m = rc.count[k];
        const double *L = rc.L[k];
        double v[NU];
        for (int i = 0; i < NU; i++)
            if (rc.at[k][i]) d->du[k][i] = rc.bound[k][i];
        for (int a = 0; a < m; a++) v[a] = -rc.w[k][a] - dot(rc.W[k] + a * NX, d->dx[k], NX);
        for (int a = m - 1; a >= 0; a--) {
            for (int l = a + 1; l < m; l++) v[a] -= L[l * NU + a] * v[l];
            v[a] /= L[a * NU + a];
            d->du[k][rc.free[k][a]] = v[a];
        }
        next_state(d, k);
    }
}

/* Fix what has left its limits, free what is fixed against its multiplier: all of them, or the first. Returns how many
   there are, and the last stage that changed. */
HOT static int exchanged(programme *d, int only_first, int *last) {
    int count = 0;
    for (int k = 0; k < N; k++)
        for (int i = 0; i < NU; i++) {
            const int was = rc.at[k][i];
            int now = was;
            if (was) {
                const double slope = rc.g[k][i] + dot(rc.G[k] + i * NX, d->dx[k], NX) +
                                     dot(rc.M[k] + i * NU, d->du[k], NU);
                if (was * slope > QP_TOLERANCE) now = 0;
            } else if (d->du[k][i] < d->ulow[k][i] - QP_TOLERANCE) {
                now = -1;
            } else if (d->du[k][i] > d->uhigh[k][i] + QP_TOLERANCE) {
                now = 1;
            }
            if (now == was || (count++ && only_first)) continue;
            rc.at[k][i] = now;
            rc.bound[k][i] = now < 0 ? d->ulow[k][i] : d->uhigh[k][i];
            *last = k;
        }
    return count;
}

/* Whether a solution keeps all limits on states and rates. */
static int keeps_limits(const programme *d) {
    for (int k = 0; k <= N; k++)
        for (int i = 0; i < limits_of(k); i++) {
            const double value = i >= NLIM ? d->du[k][i - NLIM] - d->du[k - 1][i - NLIM]
                                           : dot(d->C[k] + i * NX, d->dx[k], NX) +
                                                 (k < N ? dot(d->D[k] + i * NU, d->du[k], NU) : 0.0);
            if (value < d->low[k][i] - QP_TOLERANCE || value > d->high[k][i] + QP_TOLERANCE) return 0;
        }
    return 1;
}

static int solve_qp(programme *d) {
    for (int k = 0; k < N; k++)
        for (int i = 0; i < NU; i++) {
            /* Inputs that the plan has at limits stay there at first. */
            rc.at[k][i] = d->ulow[k][i] > -QP_TOLERANCE ? -1 : d->uhigh[k][i] < QP_TOLERANCE ? 1 : 0;
            rc.bound[k][i] = rc.at[k][i] < 0 ? d->ulow[k][i] : d->uhigh[k][i];
        }
    memcpy(rc.triangle[N], d->Q[N], sizeof rc.triangle[N]);
    memcpy(rc.p[N], d->q[N], sizeof rc.p[N]);
    int from = N - 1, fewest = NV + 1, patience = PIVOTS;
    for (d->iterations = 1; d->iterations <= ACTIVE_SETS; d->iterations++) {
        if (is_late()) return 1;
        from_triangle(rc.triangle[from + 1], NX, rc.P);
        for (int k = from; k >= 0; k--)
            if (stage_back(d, k)) return interior_point(d);
        forwards(d);
        const int count = exchanged(d, patience == 0, &from);
        if (!count) return keeps_limits(d) ? 0 : interior_point(d);
        if (count < fewest)
            fewest = count, patience = PIVOTS;
        else if (patience)
            patience--;
    }
    return interior_point(d);
}
