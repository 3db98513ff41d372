/** Every special address is refused, every ordinary one is not, and only what is named is opened. */
import fc from 'fast-check'
import { describe, expect, test } from 'vitest'
import { StartError } from '../../errors/start-error.ts'
import { isGlobalUnicast, openAddressRules } from '../allowed-addresses.ts'

const refused = `
  0.0.0.0 0.255.255.255 10.0.0.1 10.255.255.255 100.64.0.1 100.100.100.200 100.127.255.255
  127.0.0.1 127.255.255.254 168.63.129.16 169.254.0.1 169.254.169.254 172.16.0.1 172.31.255.255
  192.0.0.1 192.0.0.192 192.0.2.1 192.88.99.1 192.168.0.1 192.168.255.255 198.18.0.1 198.19.255.255
  198.51.100.1 203.0.113.1 224.0.0.1 239.255.255.255 240.0.0.1 255.255.255.255
  :: ::1 ::7f00:1 ::ffff:127.0.0.1 ::ffff:10.0.0.1 ::ffff:8.8.8.8 ::ffff:0:1.1.1.1
  64:ff9b::1 64:ff9b::7f00:1 64:ff9b:1::1 100::1 5f00::1 2001::1 2001:0:1:2::3 2001:2::1 2001:10::1
  2001:20::1 2001:1ff:ffff::1 2001:db8::1 2002::1 2002:7f00:1::1 3fff::1 3fff:fff::1
  4000::1 fc00::1 fd00:ec2::254 fdff::1 fe80::1 febf::1 fec0::1 ff02::1 ffff::1
`
const global = `
  1.1.1.1 8.8.8.8 9.255.255.255 11.0.0.0 100.63.255.255 100.128.0.0 126.255.255.255 128.0.0.1
  169.253.255.255 169.255.0.0 172.15.255.255 172.32.0.0 192.0.1.1 192.167.255.255 192.169.0.0
  198.17.255.255 198.20.0.0 203.0.112.255 203.0.114.0 223.255.255.255 168.63.129.15
  2001:200::1 2001:4860:4860::8888 2003::1 2600::1 2606:4700:4700::1111 2a00::1 3ffe::1
`
const each = (list: string): string[] => list.split(/\s+/).filter(one => one !== '')

test.each(each(refused))('%s is never reached', address => {
  expect(isGlobalUnicast(address)).toBe(false)
  const rules = openAddressRules({ ports: [443], allow: [] })
  expect(rules.check(address, 443)).toBe('blocked_address')
})

test.each(each(global))('%s is an ordinary address', address => {
  expect(isGlobalUnicast(address)).toBe(true)
})

test('an invalid address is refused', () => {
  const rules = openAddressRules({ ports: [443], allow: [] })
  for (const text of ['', 'localhost', '1.2.3', '1.2.3.4.5', '0x7f000001', '[::1]']) {
    expect(rules.check(text, 443)).toBe('blocked_address')
  }
})

test('no IPv6 form of a private IPv4 address is reached', () => {
  const rules = openAddressRules({ ports: [443], allow: [] })
  const byte = fc.integer({ min: 0, max: 255 })
  fc.assert(
    fc.property(byte, byte, byte, (a, b, c) => {
      const ipv4 = `10.${a}.${b}.${c}`
      const forms = [ipv4, `::${ipv4}`, `::ffff:${ipv4}`, `64:ff9b::${ipv4}`, `::ffff:0:${ipv4}`]
      return forms.every(address => rules.check(address, 443) === 'blocked_address')
    }),
  )
})

describe('what a deployment opens', () => {
  test('an exact pair opens that port of that address and nothing else', () => {
    const rules = openAddressRules({ ports: [443], allow: ['127.0.0.1:8080', '[::1]:8081'] })
    expect(rules.check('127.0.0.1', 8080)).toBe('ok')
    expect(rules.check('::1', 8081)).toBe('ok')
    expect(rules.check('0:0:0:0:0:0:0:1', 8081)).toBe('ok')
    expect(rules.check('127.0.0.1', 443)).toBe('blocked_address')
    expect(rules.check('127.0.0.1', 8081)).toBe('blocked_address')
    expect(rules.check('127.0.0.2', 8080)).toBe('blocked_address')
    expect(rules.check('::ffff:127.0.0.1', 8080)).toBe('blocked_address')
    expect(rules.check('8.8.8.8', 8080)).toBe('blocked_port')
    expect([443, 8080, 8081, 80].map(rules.portMayBeUsed)).toEqual([true, true, true, false])
    expect(rules.opensName('hooks.internal')).toBe(false)
  })

  test('a net opens its addresses on the usual ports', () => {
    const rules = openAddressRules({
      ports: [443, [9000, 9002]],
      allow: ['10.1.0.0/16', 'fd00::/8'],
    })
    expect(rules.check('10.1.255.1', 443)).toBe('ok')
    expect(rules.check('10.1.255.1', 9001)).toBe('ok')
    expect(rules.check('10.1.255.1', 9003)).toBe('blocked_port')
    expect(rules.check('10.2.0.1', 443)).toBe('blocked_address')
    expect(rules.check('::ffff:10.1.0.1', 443)).toBe('blocked_address')
    expect(rules.check('fd12::1', 443)).toBe('ok')
    expect(rules.check('fe80::1', 443)).toBe('blocked_address')
    expect(rules.opensName('hooks.internal')).toBe(false)
  })

  test('a name opens itself, and one with a dot before it what is below it', () => {
    const rules = openAddressRules({ ports: [443], allow: ['hooks.internal', '.Build.local'] })
    const open = ['hooks.internal', 'a.build.local', 'a.b.build.local']
    expect(open.filter(host => !rules.opensName(host))).toEqual([])
    const shut = ['a.hooks.internal', 'build.local', 'xbuild.local', 'internal', 'localhost']
    expect(shut.filter(host => rules.opensName(host))).toEqual([])
    // The address behind the name is checked all the same.
    expect(rules.check('10.1.0.1', 443)).toBe('blocked_address')
  })

  test.each(
    each(
      'localhost:80 127.0.0.1 127.0.0.1:0 127.0.0.1:65536 ::1:80 [127.0.0.1]:80 10.0.0.0/33 [::1]/64 10.0.0.0/ [fe80::1%lo]:80 *',
    ),
  )('%s stops the start', entry => {
    expect(() => openAddressRules({ ports: [443], allow: [entry] })).toThrow(StartError)
  })
})
