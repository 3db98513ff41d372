/** Where a link may lead: every trick that an address can play, what is suspicious, and one spelling for all. */
import fc from 'fast-check'
import { afterAll, beforeAll, describe, expect, test } from 'vitest'
import { normalizeDestination, type DestinationRules } from '../destinations/normalize.ts'
import { Problem } from '#dodeca/kernel'
import { openLinkWorld, type LinkWorld } from './link-world.ts'

let world: LinkWorld
beforeAll(async () => {
  world = await openLinkWorld({
    LINKS_CREATES_PER_MINUTE: '10000',
    LINKS_PROTECTED_HOSTS: 'acme-bank.com',
  })
})
afterAll(() => world.close())

const rules: DestinationRules = { extra_suffixes: [], ip_destinations: false }

function judge(text: string, more: Partial<DestinationRules> = {}): string {
  try {
    return normalizeDestination(text, { ...rules, ...more }).url
  } catch (error) {
    if (!(error instanceof Problem)) throw error
    return error.details.errors?.[0]?.constraint ?? ''
  }
}

describe('refused is', () => {
  test.each([
    ['malformed', 'not an address'],
    ['malformed', ''],
    ['malformed', 'https://'],
    ['malformed', 'https://a..b:x/'],
    ['malformed', 'java\tscript:alert(1)'],
    ['malformed', 'ht\ntps://example.com'],
    ['malformed', 'https://example.com/\r\nset-cookie: a=b'],
    ['malformed', ' https://example.com/'],
    ['malformed', 'https://example.com/ '],
    ['malformed', 'https://exam\u200bple.com/'],
    ['malformed', String.raw`https://a.example\@evil.com`],
    ['malformed', String.raw`https:\\example.com`],
    ['malformed', '//example.com/'],
    ['scheme', 'javascript:alert(1)'],
    ['scheme', 'data:text/html,x'],
    ['scheme', 'ftp://example.com/'],
    ['scheme', 'file:///etc/passwd'],
    ['scheme', 'blob:https://example.com/x'],
    ['scheme', 'mailto:a@example.com'],
    ['userinfo', 'http://user@evil.com'],
    ['userinfo', 'https://www.paypal.com:443@evil.com/'],
    ['userinfo', 'https://:secret@example.com/'],
    ['host', 'http://localhost/'],
    ['host', 'http://printer.local/'],
    ['host', 'http://db.internal/'],
    ['host', 'http://a.b.localhost/'],
    ['host', 'http://expyuzz4wqqyqhjn.onion/'],
    ['host', 'http://router.home.arpa/'],
    ['host', 'http://intranet/'],
    ['host', 'http://co.uk/'],
    ['host', 'http://example.test/'],
    ['host', 'http://a..com/'],
    ['private', 'http://2130706433'],
    ['private', 'http://0x7f.1'],
    ['private', 'http://0177.0.0.1/'],
    ['private', 'http://127.1'],
    ['private', 'http://10.0.0.1/'],
    ['private', 'http://100.64.0.1/'],
    ['private', 'http://169.254.169.254/latest/meta-data'],
    ['private', 'http://[::ffff:10.0.0.1]/'],
    ['private', 'http://[::1]/'],
    ['private', 'http://[fd00::1]/'],
    ['private', 'http://[fe80::1]/'],
    ['private', 'http://[64:ff9b::a00:1]/'],
    ['private', 'http://[2002:a00:1::]/'],
    ['private', 'http://0.0.0.0/'],
    ['private', 'http://１２７.0.0.1/'],
    ['ip_literal', 'http://93.184.215.14/'],
    ['ip_literal', 'http://[2606:2800:21f:cb07:6820:80da:af6b:8b2c]/'],
    ['port', 'https://example.com:22/'],
    ['port', 'http://example.com:8000/'],
    ['too_long', `https://example.com/${'x'.repeat(2040)}`],
  ])('%s: %j', (constraint, text) => {
    expect(judge(text)).toBe(constraint)
  })
})

describe('one spelling has', () => {
  test.each([
    ['https://example.com/', 'https://example.com/'],
    ['HTTPS://EXAMPLE.com', 'https://example.com/'],
    ['https://example.com.', 'https://example.com/'],
    ['https://example.com:443/', 'https://example.com/'],
    ['http://example.com:80/', 'http://example.com/'],
    ['https://example.com:8443/', 'https://example.com:8443/'],
    ['https://bücher.example.com/ü?ö#ä', 'https://xn--bcher-kva.example.com/%C3%BC?%C3%B6#%C3%A4'],
    ['https://example.com/A/%2e/b//c', 'https://example.com/A/b//c'],
    ['https://example.com/?a=\\b', 'https://example.com/?a=\\b'],
    ['https://example.co.uk/#frag', 'https://example.co.uk/#frag'],
    ['https://_dmarc.example.com/', 'https://_dmarc.example.com/'],
  ])('%s', (given, url) => {
    expect(judge(given)).toBe(url)
  })

  test('what the deployment opens', () => {
    expect(judge('http://shop.test/', { extra_suffixes: ['test'] })).toBe('http://shop.test/')
    expect(judge('http://test/', { extra_suffixes: ['test'] })).toBe('host')
    expect(judge('http://93.184.215.14/', { ip_destinations: true })).toBe('http://93.184.215.14/')
    expect(judge('http://10.0.0.1/', { ip_destinations: true })).toBe('private')
  })

  test('any address at all: it is refused, or it stays as it is and can stand in a header', () => {
    const part = fc.oneof(
      fc.webUrl({ withFragments: true, withQueryParameters: true }),
      fc.string(),
    )
    fc.assert(
      fc.property(part, fc.string({ unit: 'binary' }), (head, tail) => {
        const url = judge(head + tail)
        if (!url.startsWith('http')) return
        expect(url).toMatch(/^[\x21-\x7e]+$/)
        expect(judge(url)).toBe(url)
      }),
      { numRuns: 2000 },
    )
  })
})

describe.concurrent('over HTTP', () => {
  const asked = async (destination_url: string) =>
    world.shorten(await world.member(), { destination_url })

  test('a refusal names the rule and never the address', async () => {
    const { status, body, text } = await asked('http://169.254.169.254/secret-path')
    expect([status, body.code]).toEqual([422, 'destination_not_allowed'])
    expect(body.errors).toEqual([
      { location: 'body', pointer: '/destination_url', constraint: 'private' },
    ])
    expect(text).not.toContain('secret-path')
    expect(body.detail).toBe('The address is not one of the public internet.')
  })

  test('three thousand bytes of Punycode are refused', async () => {
    const { status } = await asked(`https://xn--${'a'.repeat(3000)}.com/`)
    expect(status).toBe(422)
  })

  test('the platform itself is a loop', async () => {
    for (const host of ['dodeca.test', 'DODECA.test.', 'dodeca.test:8080']) {
      const { body } = await asked(`http://${host}/abc`)
      expect(body.errors[0].constraint).toBe('loop')
    }
  })

  test.each([
    'https://xn--pple-43d.com/',
    'https://аррӏе.com/',
    'https://paypa1.com/',
    'https://www.rnicrosoft.com/',
    'https://acrne-bank.com/',
    'https://bit.ly/3xyz',
    'https://www.tinyurl.com/abc',
    'https://paypаl.example.com/',
  ])('%s is suspicious, and waits', async destination => {
    const { status, body } = await asked(destination)
    expect([status, body.state, body.safety_state]).toEqual([201, 'pending_scan', 'suspicious'])
  })

  test.each([
    'https://www.apple.com/',
    'https://paypal.com/',
    'https://acme-bank.com/',
    'https://bücher.example/'.replace('.example', '.de'),
    'https://日本語テスト.jp/',
    'https://пример.рф/',
    'https://한국어.kr/',
  ])('%s is not', async destination => {
    const { status, body } = await asked(destination)
    expect([status, body.state, body.safety_state]).toEqual([201, 'active', 'clean'])
  })
})
