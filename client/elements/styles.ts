/**
 * The style sheet of all elements. A page changes it by the custom properties `--dodeca-*`, or by
 * rules such as `dodeca-chat .dd-log { ... }`. The colour scheme is that of the page around them.
 */
export const styles = `
:where(dodeca-chat:not([hidden])) {
  --dd-accent: var(--dodeca-accent, light-dark(#1f5fbf, #8ab6ff));
  --dd-on-accent: var(--dodeca-on-accent, light-dark(#fff, #0d1420));
  --dd-back: var(--dodeca-back, light-dark(#fff, #1b1e23));
  --dd-own: var(--dodeca-own, light-dark(#e6effc, #1d2c44));
  --dd-text: var(--dodeca-text, light-dark(#1c2026, #e6e9ee));
  --dd-soft: var(--dodeca-soft, light-dark(#565e6b, #a3abb8));
  --dd-line: var(--dodeca-line, light-dark(#8b93a0, #6b7380));
  --dd-bad: var(--dodeca-bad, light-dark(#a8201a, #ff9a94));
  --dd-radius: var(--dodeca-radius, 0.4rem);
  display: flex;
  flex-direction: column;
  gap: 0.5rem;
  box-sizing: border-box;
  height: var(--dodeca-height, 30rem);
  max-height: 100vh;
  min-width: 0;
  padding: 0.75rem;
  background: var(--dd-back);
  color: var(--dd-text);
  font: var(--dodeca-font, 1rem/1.45 system-ui, sans-serif);
}
.dd-log {
  flex: 1;
  min-height: 0;
  overflow: auto;
  overflow-anchor: none;
  text-align: center;
}
.dd-log:focus-visible, .dd-button:focus-visible, .dd-field:focus-visible, .dd-file:focus-visible {
  outline: 2px solid var(--dd-accent);
  outline-offset: 1px;
}
.dd-messages {
  display: flex;
  flex-direction: column;
  gap: 0.5rem;
  margin: 0;
  padding: 0.25rem;
  list-style: none;
  text-align: start;
}
.dd-message {
  align-self: flex-start;
  max-width: 85%;
  padding: 0.4rem 0.6rem;
  border: 1px solid var(--dd-line);
  border-radius: var(--dd-radius);
  overflow-wrap: anywhere;
}
.dd-own { align-self: flex-end; background: var(--dd-own); }
.dd-unsent { border-style: dashed; }
.dd-state, .dd-typing, .dd-about, .dd-body, .dd-deleted, .dd-refused { margin: 0; }
.dd-state:empty { display: none; }
.dd-typing { min-height: 1.2em; }
.dd-about, .dd-typing, .dd-state, .dd-readers, .dd-fresh { color: var(--dd-soft); font-size: 0.85em; }
.dd-deleted { color: var(--dd-soft); font-style: italic; }
.dd-refused { color: var(--dd-bad); }
.dd-body { white-space: pre-wrap; }
.dd-fresh { text-align: center; border-block-end: 1px solid var(--dd-line); }
.dd-readers { align-self: flex-end; }
.dd-form { display: flex; flex-wrap: wrap; gap: 0.5rem; align-items: end; }
.dd-label { flex: 1 1 12rem; min-width: 0; }
.dd-field, .dd-button, .dd-file {
  font: inherit;
  color: inherit;
  background: var(--dd-back);
  border: 1px solid var(--dd-line);
  border-radius: var(--dd-radius);
  padding: 0.35rem 0.7rem;
}
.dd-field { display: block; box-sizing: border-box; width: 100%; resize: vertical; }
.dd-button, .dd-file { cursor: pointer; min-height: 2.2rem; max-width: 100%; overflow-wrap: anywhere; }
.dd-file { margin-block-start: 0.3rem; text-decoration: underline; }
.dd-send { background: var(--dd-accent); border-color: var(--dd-accent); color: var(--dd-on-accent); }
.dd-send:disabled { opacity: 0.5; cursor: default; }
`
