/**
 * Finds the place where a text is no longer valid JSON, and the characters that were expected
 * there. The runtime's own message quotes the input and often gives no position. So a text that did
 * not parse is read a second time.
 */

export function jsonFault(text: string): string {
  if (text.startsWith('\ufeff')) {
    return 'The body begins with a byte order mark. Send it as UTF-8 without one.'
  }
  const found = value(text, space(text, 0))
  const at = found.fault ? found.at : space(text, found.at)
  const expected = found.fault ?? 'nothing after the value'
  const before = text.slice(0, at).split('\n')
  const column = (before.at(-1)?.length ?? 0) + 1
  if (at >= text.length) {
    return `The body ends too early, at line ${before.length}, column ${column}: expected ${expected}.`
  }
  return `The body is not JSON at line ${before.length}, column ${column}: expected ${expected}.`
}

/** The position where a value ends, or the position of the error and the expected characters. */
type Read = { readonly at: number; readonly fault?: string }

const literal = /true|false|null|-?(?:0|[1-9]\d*)(?:\.\d+)?(?:[eE][+-]?\d+)?/y
// oxlint-disable-next-line no-control-regex -- JSON allows no control characters inside a text
const quoted = /"(?:[^"\\\u0000-\u001f]|\\(?:["\\/bfnrt]|u[0-9a-fA-F]{4}))*/y

function value(text: string, at: number): Read {
  if (text[at] === '{') return list(text, at, '}', member)
  if (text[at] === '[') return list(text, at, ']', value)
  if (text[at] === '"') return string(text, at)
  const end = matched(literal, text, at)
  return end > at ? { at: end } : { at, fault: 'a value' }
}

function list(text: string, start: number, close: string, item: typeof value): Read {
  let at = space(text, start + 1)
  if (text[at] === close) return { at: at + 1 }
  for (;;) {
    const read = item(text, at)
    if (read.fault) return read
    at = space(text, read.at)
    if (text[at] === close) return { at: at + 1 }
    if (text[at] !== ',') return { at, fault: `a comma or ${close}` }
    at = space(text, at + 1)
  }
}

function member(text: string, at: number): Read {
  if (text[at] !== '"') return { at, fault: 'a name in double quotes' }
  const name = string(text, at)
  if (name.fault) return name
  const colon = space(text, name.at)
  if (text[colon] !== ':') return { at: colon, fault: 'a colon' }
  return value(text, space(text, colon + 1))
}

function string(text: string, at: number): Read {
  const end = matched(quoted, text, at)
  return text[end] === '"' ? { at: end + 1 } : { at: end, fault: 'the rest of a string in quotes' }
}

function space(text: string, at: number): number {
  return matched(/[ \t\r\n]*/y, text, at)
}

function matched(pattern: RegExp, text: string, at: number): number {
  pattern.lastIndex = at
  return pattern.test(text) ? pattern.lastIndex : at
}
