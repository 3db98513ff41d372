/**
 * The style sheet of all elements. A page changes it by the custom properties `--dodeca-*`, or by
 * rules such as `dodeca-chat .dd-log { ... }`. The colour scheme is that of the page around them.
 */
export const styles = `
:where(dodeca-chat:not([hidden])) {
  --dd-accent: var(--dodeca-accent, light-dark(#1f5fbf, #8ab6ff));
  --dd-back: var(--dodeca-back, light-dark(#fff, #1b1e23));
  --dd-soft: var(--dodeca-soft, light-dark(#565e6b, #a3abb8));
  --dd-line: 1px solid var(--dodeca-line, light-dark(#8b93a0, #6b7380));
  --dd-radius: var(--dodeca-radius, 0.4rem);
  display: flex; flex-direction: column; gap: 0.5rem;
  box-sizing: border-box; min-width: 0; padding: 0.75rem;
  height: var(--dodeca-height, 30rem); max-height: 100vh;
  background: var(--dd-back); color: var(--dodeca-text, light-dark(#1c2026, #e6e9ee));
  font: var(--dodeca-font, 1rem/1.45 system-ui, sans-serif);
}
.dd-log {
  flex: 1; min-height: 0; overflow: auto; overflow-anchor: none; text-align: center;
}
.dd-log:focus-visible, .dd-button:focus-visible, .dd-field:focus-visible {
  outline: 2px solid var(--dd-accent); outline-offset: 1px;
}
.dd-messages {
  display: flex; flex-direction: column; gap: 0.5rem;
  margin: 0; padding: 0.25rem; list-style: none; text-align: start;
}
.dd-message {
  align-self: flex-start; max-width: 85%; padding: 0.4rem 0.6rem; overflow-wrap: anywhere;
  border: var(--dd-line); border-radius: var(--dd-radius);
}
.dd-own { align-self: flex-end; background: var(--dodeca-own, light-dark(#e6effc, #1d2c44)); }
.dd-unsent { border-style: dashed; }
.dd-state, .dd-typing, .dd-about, .dd-body { margin: 0; }
.dd-state:empty { display: none; }
.dd-about, .dd-typing, .dd-state, .dd-readers, .dd-fresh { color: var(--dd-soft); font-size: 0.85em; }
.dd-typing { min-height: 1.45em; overflow-wrap: anywhere; }
.dd-body { white-space: pre-wrap; }
.dd-fresh { text-align: center; border-block-end: var(--dd-line); }
.dd-readers { align-self: flex-end; }
.dd-form { display: flex; flex-wrap: wrap; gap: 0.5rem; align-items: end; }
.dd-label { flex: 1 1 12rem; min-width: 0; }
.dd-field, .dd-button {
  box-sizing: border-box; max-width: 100%; min-height: 2.2rem; padding: 0.35rem 0.7rem;
  font: inherit; color: inherit; background: var(--dd-back); overflow-wrap: anywhere;
  border: var(--dd-line); border-radius: var(--dd-radius);
}
.dd-field { display: block; width: 100%; resize: vertical; }
.dd-send { background: var(--dd-accent); color: var(--dodeca-on-accent, light-dark(#fff, #0d1420)); }
.dd-send:disabled { opacity: 0.5; }
`
