/** The pages that visitors see: nothing of a link becomes markup, and no script can run. */
import { expect, test } from 'vitest'
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

test.each(pages)(
  '%s: no script, no stranger’s markup, and a policy that says so',
  (_name, page) => {
    expect(page.html).toMatch(/^<!doctype html>\n<html lang="en">/)
    expect(page.html).not.toMatch(/<script|<b>|<x>| onclick=/)
    expect(page.headers['cache-control']).toBe('no-store')
    expect(page.headers['content-security-policy']).toMatch(
      /^default-src 'none'; style-src 'sha256-[\w+/=]+'; base-uri 'none'; form-action 'none'; frame-ancestors 'none'$/,
    )
  },
)

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
