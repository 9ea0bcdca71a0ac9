// Commands with a copy button.

/**
 * Copies text; falls back to execCommand, because pages opened from disk may lack the clipboard
 * API.
 */
async function copyText(text) {
  try {
    await navigator.clipboard.writeText(text);
    return true;
  } catch {
    const area = element(
      "textarea",
      { class: "unseen", readonly: true, "aria-hidden": "true" },
      text,
    );
    document.body.append(area);
    area.select();
    const done = document.execCommand("copy");
    area.remove();
    return done;
  }
}

/** A command with a copy button. */
function commandLine(what, command) {
  const button = element(
    "button",
    {
      type: "button",
      class: "copy",
      "aria-label": `Copy the command: ${what}`,
      onclick: async () => {
        const done = await copyText(command);
        button.textContent = done ? "Copied" : "Not copied";
        announce(done ? "Command copied." : "Could not copy the command; select it manually.");
        setTimeout(() => (button.textContent = "Copy"), 2000);
      },
    },
    "Copy",
  );
  return element(
    "div",
    { class: "command" },
    element("pre", { tabindex: "0", "aria-label": what }, element("code", {}, command)),
    button,
  );
}
