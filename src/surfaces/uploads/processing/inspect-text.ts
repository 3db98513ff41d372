/**
 * Recognizes texts: their encoding, from all bytes, and the markup that they begin with. Texts have
 * no type of their own, but HTML and SVG run in a browser.
 */
import { Refused } from './inspector-protocol.ts'

export type Charset = 'utf-8' | 'utf-16le' | 'utf-16be' | 'windows-1252'

// oxlint-disable-next-line no-control-regex -- these do not occur in texts
const controls = /[\0-\x08\x0e-\x1a\x1c-\x1f\x7f]/

/**
 * Takes all bytes of a file, in pieces. `end` returns the encoding, or null if it is no text. UTF-16
 * requires a byte order mark. Windows-1252 accepts all bytes except control characters.
 */
export function openTextCheck() {
  let left: Candidate[] | undefined
  return {
    add: (bytes: Buffer) => {
      left = (left ?? candidatesOf(bytes)).filter(one => one.fits(bytes))
    },
    end: (): Charset | null => left?.find(one => one.fits())?.charset ?? null,
  }
}

/** `fits` without bytes is asked at the end. */
type Candidate = { readonly charset: Charset; readonly fits: (bytes?: Buffer) => boolean }

function candidatesOf(bytes: Buffer): Candidate[] {
  const mark = bytes.subarray(0, 2).toString('hex')
  if (mark === 'fffe') return [unicode('utf-16le')]
  if (mark === 'feff') return [unicode('utf-16be')]
  const latin = (piece?: Buffer) => !controls.test(piece?.toString('latin1') ?? '')
  return [unicode('utf-8'), { charset: 'windows-1252', fits: latin }]
}

function unicode(charset: Charset): Candidate {
  const decoder = new TextDecoder(charset, { fatal: true })
  const fits = (bytes?: Buffer): boolean => {
    try {
      return !decoder.decode(bytes, { stream: bytes !== undefined }).includes('\0')
    } catch {
      return false
    }
  }
  return { charset, fits }
}

/**
 * What XML permits before its root element. Each alternative ends at its first end. If it could go
 * on beyond, each further one would double the time.
 */
const space = /\s+/
const instruction = /<\?(?:(?!\?>).)*\?>/
const comment = /<!--(?:(?!-->).)*-->/
const quoted = /"[^"]*"|'[^']*'/
const subset = `\\[(?:${comment.source}|${instruction.source}|${quoted.source}|<(?!!--|\\?)|[^\\]"'<])*\\]`
const doctype = `<!doctype(?:${subset}|${quoted.source}|[^[>"'])*>`
const prolog = new RegExp(
  [space.source, instruction.source, comment.source, doctype].join('|'),
  'iys',
)
const svg_root = /<(?:[^\s<>/:!?]+:)?svg(?=[\s/>])/iy

/** `start` is the first part of a text, `is_all` says that there is no more. */
export function markupOf(start: string, is_all: boolean): string | null {
  const lower = start.trimStart().slice(0, 20).toLowerCase()
  if (/^(<!doctype html|<html|<head|<body|<script)/.test(lower)) return 'text/html'
  let at = 0
  for (prolog.lastIndex = 0; prolog.test(start); prolog.lastIndex = at) at = prolog.lastIndex
  svg_root.lastIndex = at
  if (svg_root.test(start)) return 'image/svg+xml'
  // The root element may come after the part that was read.
  const is_open = at === start.length || /^<(\?|!--|!doctype)/i.test(start.slice(at, at + 9))
  if (is_open && !is_all) throw new Refused('scan_limit_exceeded')
  return lower.startsWith('<?xml') ? 'application/xml' : null
}
