/**
 * The pages for visitors: nothing of a link becomes markup, no script can run, and they work with a
 * screen reader, large text and the keyboard.
 */
import { describe, expect, test } from 'vitest'
import { absentPage } from '../pages/absent.ts'
import { previewPage } from '../pages/preview.ts'
import { warningPage } from '../pages/warning.ts'
import { normalizeDestination } from '../destinations/normalize.ts'

const rules = { extra_suffixes: [], ip_destinations: false }
const nasty = normalizeDestination(
  `https://example.com/"onclick="x'<script>alert(1)</script>&amp;?q=<b>`,
  rules,
).url

const pages = [
  ['warning', warningPage({ short_url: 'https://go.example/x', destination_url: nasty })],
  [
    'preview',
    previewPage({
      short_url: 'https://go.example/<x>',
      destination_url: nasty,
      created_at: '2026-11-21T10:00:00.000Z',
      safety_state: 'clean',
    }),
  ],
  ['absent', absentPage('link_expired')],
] as const

test.each(pages)('%s: no script, no markup of users, and a policy that says so', (_name, page) => {
  expect(page.html).toMatch(/^<!doctype html>\n<html lang="en">/)
  expect(page.html).not.toMatch(/<script|<b>|<x>| onclick=/)
  expect(page.headers['cache-control']).toBe('no-store')
  expect(page.headers['content-security-policy']).toMatch(
    /^default-src 'none'; style-src 'sha256-[\w+/=]+'; form-action 'none'; base-uri 'none'; frame-ancestors 'none'$/,
  )
})

test('the warning says where the link leads, in the letters that are really there', () => {
  const { html } = warningPage({
    short_url: 'https://go.example/x',
    destination_url: 'https://xn--pple-43d.com/login',
  })
  expect(html).toContain('<strong class="host">xn--pple-43d.com</strong>')
  expect(html).toContain('аpple.com')
  expect(html).toContain('href="https://xn--pple-43d.com/login" rel="noreferrer nofollow"')
})

test('a preview of what is harmful offers no way there', () => {
  const { html } = previewPage({
    short_url: 'https://go.example/x',
    destination_url: 'https://example.com/',
    created_at: '2026-11-21T10:00:00.000Z',
    safety_state: 'malicious',
  })
  expect(html).not.toContain('href=')
})

describe.each(pages)('%s, for everybody', (_name, { html }) => {
  const tags = (name: string) => [...html.matchAll(new RegExp(`<${name}[ >]`, 'g'))].length
  const textsOf = (name: string) =>
    [...html.matchAll(new RegExp(`<${name}\\b[^>]*>(.*?)</${name}>`, 'gs'))].map(([, text = '']) =>
      text.replaceAll(/<[^>]+>/g, '').trim(),
    )

  test('has one landmark, one heading that is its title, and names for what can be followed', () => {
    expect(['main', 'h1', 'title'].map(tags)).toEqual([1, 1, 1])
    expect(textsOf('h1')).toEqual(textsOf('title'))
    expect(textsOf('h1')[0]).not.toBe('')
    expect(textsOf('a').every(text => text.length > 5)).toBe(true)
    expect(tags('dt')).toBe(tags('dd'))
    // Everything that is said is said within the landmark.
    const [, body = ''] = /<body>(.*)<\/body>/s.exec(html) ?? []
    expect(body.trim()).toMatch(/^<main [^]*<\/main>$/)
  })

  test('can be made larger, and says nothing by a script, a picture or a place in the order alone', () => {
    expect(html).toContain('content="width=device-width, initial-scale=1"')
    expect(html).not.toMatch(/<(script|img|iframe|meta http-equiv)|tabindex|autofocus|\son\w+=/)
  })

  test.each([
    ['light', 0],
    ['dark', 1],
  ] as const)('can be read in %s', (_look, at) => {
    const colours = coloursOf(html, at)
    const ratio = (one: string, other: string) => contrast(colours.get(one), colours.get(other))
    const hover = /:hover \{ background: light-dark\((#\w+), (#\w+)\)/.exec(html)?.[at + 1]
    for (const words of ['ink', 'soft', 'accent']) {
      expect(ratio(words, 'card')).toBeGreaterThanOrEqual(4.5)
    }
    expect(contrast(colours.get('accent'), hover)).toBeGreaterThanOrEqual(4.5)
    expect(ratio('warn', 'card')).toBeGreaterThanOrEqual(3)
  })
})

/** The colours of a page by their names, for one of the two looks. */
function coloursOf(html: string, at: 0 | 1): ReadonlyMap<string, string> {
  const pairs = html.matchAll(/--(\w+): light-dark\((#\w+), (#\w+)\)/g)
  return new Map([...pairs].map(([, name = '', ...looks]) => [name, looks[at] ?? '']))
}

/** After WCAG 2.2: 1 is nothing to be seen, 21 is black on white. */
function contrast(one = '', other = ''): number {
  const [dark = 0, bright = 0] = [luminance(one), luminance(other)].toSorted((a, b) => a - b)
  return (bright + 0.05) / (dark + 0.05)
}

function luminance(colour: string): number {
  const digits = colour.length === 4 ? colour.replaceAll(/\w/g, '$&$&') : colour
  const [red = 0, green = 0, blue = 0] = [1, 3, 5]
    .map(at => Number.parseInt(digits.slice(at, at + 2), 16) / 255)
    .map(part => (part <= 0.04045 ? part / 12.92 : ((part + 0.055) / 1.055) ** 2.4))
  return 0.2126 * red + 0.7152 * green + 0.0722 * blue
}
