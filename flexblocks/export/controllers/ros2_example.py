"""Example of a ros2_control controller around a controller in C."""

from __future__ import annotations

from collections.abc import Sequence

from flexblocks.export.comment_text import comment_text
from flexblocks.export.controllers.enumerators import RATE
from flexblocks.export.controllers.source import Code
from flexblocks.export.fmu.names import string_literal

# What ros2_control calls the quantities of a joint.
INTERFACES = {"angle": "position", "displacement": "position", "torque": "effort", "force": "effort"}


def ros2_example(code: Code) -> str:
    """Return the C++ source of a `controller_interface::ControllerInterface` that steps the controller."""
    of, stem, prefix = code.controller, code.stem, code.prefix
    name = "".join(part.capitalize() for part in stem.split("_")) + "Controller"
    told = [f"{prefix}_MEASURED_SIZE"] + ([f"{prefix}_REFERENCE_SIZE"] if len(of.references) else [])
    arrays = "\n".join(
        f"  {stem}_real {argument}_[{size} + 1] = {{}};  // one more, for C++ has no empty arrays"
        for argument, size in zip(("measured", "reference"), (told[0], f"{prefix}_REFERENCE_SIZE"), strict=True)
    )
    return f"""// Example of a ros2_control controller around {stem}_step: {comment_text(of.name)}.
//
// NOT TESTED: it follows controller_interface::ControllerInterface of ros2_control (Kilted), against which it has not
// been compiled. Names of hardware interfaces are guesses from those of the model; put those of your robot. References
// are what your code writes to reference_, from a topic through realtime_tools::RealtimeBuffer, say.
#include <cmath>
#include <string>
#include <vector>

#include <controller_interface/controller_interface.hpp>
#include <pluginlib/class_list_macros.hpp>

#include "{stem}.h"

namespace {stem}_example
{{

using controller_interface::CallbackReturn;
using controller_interface::interface_configuration_type;
using controller_interface::InterfaceConfiguration;

class {name} : public controller_interface::ControllerInterface
{{
public:
  CallbackReturn on_init() override {{ return CallbackReturn::SUCCESS; }}

  InterfaceConfiguration state_interface_configuration() const override
  {{
    // In the order of {prefix}_MEASURED_...
    return {{interface_configuration_type::INDIVIDUAL, {{{_names(of.measured.names)}}}}};
  }}

  InterfaceConfiguration command_interface_configuration() const override
  {{
    // In the order of {code.output_prefix}_...
    return {{interface_configuration_type::INDIVIDUAL, {{{_names(of.outputs.names if of.is_law else ())}}}}};
  }}

  CallbackReturn on_configure(const rclcpp_lifecycle::State &) override
  {{
    // The controller is for one sample time.
    const double rate = get_update_rate();
    return std::abs(rate * {prefix}_SAMPLE_TIME - 1.0) < 1e-6 ? CallbackReturn::SUCCESS : CallbackReturn::ERROR;
  }}

  CallbackReturn on_activate(const rclcpp_lifecycle::State &) override
  {{
    {stem}_init(&state_);
    return CallbackReturn::SUCCESS;
  }}

  controller_interface::return_type update(const rclcpp::Time &, const rclcpp::Duration &) override
  {{
    for (std::size_t i = 0; i < state_interfaces_.size(); i++) {{
      const auto value = state_interfaces_[i].get_optional();
      if (!value)
        return controller_interface::return_type::ERROR;
      measured_[i] = static_cast<{stem}_real>(*value);
    }}
    {stem}_step(measured_, reference_, &state_, outputs_);{_release(code)}
    for (std::size_t i = 0; i < command_interfaces_.size(); i++)
      if (!command_interfaces_[i].set_value(static_cast<double>(outputs_[i])))
        return controller_interface::return_type::ERROR;
    return controller_interface::return_type::OK;
  }}

private:
{arrays}
  {stem}_real outputs_[{code.output_prefix}_SIZE] = {{}};
  {stem}_state state_ = {{}};
}};

}}  // namespace {stem}_example

PLUGINLIB_EXPORT_CLASS({stem}_example::{name}, controller_interface::ControllerInterface)
"""


def _release(code: Code) -> str:
    """Return what is reported of commands that take effect between samples."""
    if not code.releases:
        return ""
    time = f"{code.prefix}_RELEASE_TIME"
    return f"\n    // Commands of this sample are released by {code.stem}_release, {time} after it."


def _names(names: Sequence[str]) -> str:
    return ", ".join(string_literal(_interface(name)).replace("\\057", "/") for name in names)


def _interface(name: str) -> str:
    """Return what ros2_control may call a signal: ``joint1/velocity`` for ``der(joint1.angle)``."""
    rate = RATE.fullmatch(name)
    block, _, quantity = (rate[1] if rate else name).rpartition(".")
    known = INTERFACES.get(quantity, quantity)
    if rate:
        known = {"position": "velocity"}.get(known, f"{known}_rate")
    return f"{block or known}/{known}"
