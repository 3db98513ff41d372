/** Rendering: languages, escaping by channel, limits, and the same bytes each time. */
import { describe, expect, test } from 'vitest'
import type { Channel } from '../../schemas.ts'
import { parse } from '../language.ts'
import { pickLocale } from '../locale.ts'
import { hashOf, render, RenderFailure } from '../render.ts'
import { segmentsOf } from '../sms-segments.ts'

const input = {
  data: { name: '<b>', amount: 123_456, list: ['a', 'b'] } as Record<string, unknown>,
  locales: ['de-AT'],
  timezone: 'Europe/Berlin',
  now: '2026-03-29T00:30:00.000Z',
  unsubscribe_url: 'https://x.example/u',
}

function shown(channel: Channel, body: string, subject: string | null = null, more = {}) {
  const content = { subject, body, text_body: body, url: null }
  const format = channel === 'email' ? ('html' as const) : ('text' as const)
  const template = { channel, format, default_locale: 'en', contents: { en: content, de: content } }
  return render(template, { ...input, ...more })
}

test('a chain of 20,000 filters ends at the time limit', () => {
  const body = `{{ name ${'| url_encode '.repeat(20_000)}}}`
  const data = { name: '%'.repeat(60_000) }
  expect(() => shown('sms', body, null, { data })).toThrow('render limit exceeded')
})

describe('a message', () => {
  test('has the reader’s language, numbers, money and dates', () => {
    const text =
      '{{ amount | money_l: "EUR" }} {{ amount | number_l }} {{ now | date_l: "datetime" }}'
    const { text: german } = shown('sms', text)
    expect(german).toMatch(/1\.234,56\s€ 123\.456 29\.03\.2026, 01:30/)
  })

  test('escapes in HTML and nowhere else', () => {
    const mail = shown('email', '<p>{{ name }}</p>', '{{ name }}')
    expect([mail.html, mail.subject]).toEqual(['<p>&lt;b&gt;</p>', '<b>'])
    expect(shown('sms', '{{ name }}').text).toBe('<b>')
  })

  test('is the same each time', () => {
    const make = () =>
      hashOf(shown('email', '<p>{{ name }} {{ now | date_l }}</p>', 'x')).toString('hex')
    expect(make()).toBe(make())
  })

  test.each([
    ['sms', 'x'.repeat(919), 'sms_too_long'],
    ['push', 'x'.repeat(3600), 'message_too_large'],
    ['sms', '{% for i in (1..100000000) %}{{ i }}{% endfor %}', 'render_failed'],
    ['sms', '{{ list.nothing }}', 'render_failed'],
    ['sms', '{{ 1.5 | money_l: "EUR" }}', 'render_failed'],
    ['sms', '{{ name.__proto__ }}', 'render_failed'],
  ] as const)('on %s of too much ends: %#', (channel, body, code) => {
    const began = performance.now()
    expect(() => shown(channel, body)).toThrow(expect.objectContaining({ code }))
    expect(() => shown(channel, body)).toThrow(RenderFailure)
    expect(performance.now() - began).toBeLessThan(2000)
  })

  test('leads only to web addresses and paths', () => {
    const content = (url: string) => ({ subject: 'x', body: 'x', text_body: null, url })
    const template = (url: string) =>
      ({
        channel: 'in_app',
        format: 'text',
        default_locale: 'en',
        contents: { en: content(url) },
      }) as const
    const urlOf = (url: string) => render(template('{{ url }}'), { ...input, data: { url } }).url
    expect(urlOf('/orders/1')).toBe('/orders/1')
    expect(urlOf('https://a.example/x')).toBe('https://a.example/x')
    for (const bad of ['javascript:alert(1)', '//evil.example', '/\\evil.example', 'data:x', '']) {
      expect(urlOf(bad)).toBeNull()
    }
  })

  test('has no filter that reads the clock or draws', () => {
    for (const name of ['date', 'sample', 'raw', 'strip_html']) {
      expect(() => parse('text', `{{ x | ${name} }}`)).toThrow(/undefined filter/)
    }
  })
})

test.each([
  [['de-CH-1996'], 'de-CH'],
  [['de-AT'], 'de'],
  [['fr', 'de'], 'de'],
  [['zh-Hant-TW'], 'zh-Hant'],
  [[null, 'xx'], 'en'],
  [['EN-us'], 'en'],
])('wanted %j, given %s', (wanted, expected) => {
  expect(pickLocale(['en', 'de', 'de-CH', 'zh-Hant'], wanted, 'en')).toBe(expected)
})

test.each([
  ['x'.repeat(160), 1],
  ['x'.repeat(161), 2],
  ['€'.repeat(81), 2],
  ['ж'.repeat(70), 1],
  ['😀'.repeat(36), 2],
])('%s is %i parts', (text, parts) => {
  expect(segmentsOf(text)).toBe(parts)
})
