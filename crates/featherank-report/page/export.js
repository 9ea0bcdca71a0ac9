// Downloads: tables as CSV, charts as SVG and PNG.

/** Saves text or data as a file. */
function download(name, blob) {
  const address = URL.createObjectURL(blob);
  const link = element("a", { href: address, download: name });
  link.click();
  setTimeout(() => URL.revokeObjectURL(address), 1000);
}

/** A file name from a caption. */
const fileName = (caption, ending) => {
  const words = caption.toLowerCase().match(/[\p{L}\p{N}]+/gu) ?? ["report"];
  return `${words.slice(0, 8).join("-")}.${ending}`;
};

/** A field of CSV by RFC 4180. Spreadsheets would execute text that begins like a formula. */
function csvField(text) {
  const number = text.replace("−", "-");
  const isNumber = /^[-+]?[\d.,]+$/.test(number);
  const safe = isNumber ? number : /^[=+\-@\t\r]/.test(text) ? `'${text}` : text;
  return /[",\n\r]/.test(safe) ? `"${safe.replaceAll('"', '""')}"` : safe;
}

const exportButton = (words, what, save) => element(
  "button",
  { type: "button", class: "export", "aria-label": `Download ${words}: ${what}`, onclick: save },
  words,
);

/** A button that saves the table in the same element as CSV. */
function csvButton(caption) {
  const button = exportButton("CSV", caption, () => {
    const lines = [...button.closest("[data-export]").querySelectorAll("tr")].map(
      (row) => [...row.cells].map((cell) => csvField(cell.textContent)).join(","),
    );
    download(
      fileName(caption, "csv"),
      new Blob([lines.join("\r\n"), "\r\n"], { type: "text/csv" }),
    );
  });
  return button;
}

/** Buttons that save a chart; `draw` makes sure that it has been drawn. */
function chartButtons(name, plot) {
  const save = (format) => async () => {
    const size = {
      width: Math.max(plot.clientWidth, 300),
      height: plot.querySelector(".main-svg")?.clientHeight ?? 400,
    };
    const address = await Plotly.toImage(plot, {
      format,
      ...size,
      scale: format === "png" ? 2 : 1,
    });
    const [kind, data] = address.split(/,(.*)/s);
    const bytes = kind.endsWith(";base64")
      ? Uint8Array.from(atob(data), (letter) => letter.charCodeAt(0))
      : decodeURIComponent(data);
    download(
      fileName(name, format),
      new Blob([bytes], { type: format === "png" ? "image/png" : "image/svg+xml" }),
    );
  };
  return element(
    "p",
    { class: "exports" },
    ...["svg", "png"].map((format) => exportButton(format.toUpperCase(), name, save(format))),
  );
}
