/** What is refused inside archives and documents, and contents that are blocked. */
import { createHash, randomBytes } from 'node:crypto'
import { gzipSync } from 'node:zlib'
import { afterAll, beforeAll, describe, expect, test } from 'vitest'
import { holdAt } from '../../../../../test/hold.ts'
import { eventually } from '../../../../../test/world.ts'
import { sql } from '#dodeca/kernel'
import type { Inside } from '../../face.ts'
import { contentLock } from '../../scanning/blocked-hashes.ts'
import { openUploadWorld, type UploadWorld } from '../../test/upload-world.ts'
import {
  eicar,
  gzipOfZeros,
  nestedZip,
  overlappingZip,
  packedPdf,
  pdf,
  picture,
  tar,
  zip,
} from './samples.ts'

let world: UploadWorld
let face: Inside
beforeAll(async () => {
  world = await openUploadWorld()
  face = world.platform.opened['uploads']?.face as Inside
})
afterAll(() => world.close())

async function verdict(bytes: Buffer, order = {}) {
  const { file } = await world.store(await world.member(), bytes, order)
  return [file.state, file.error_code, file.detected_type]
}

const inZip = (content: Buffer) => zip([{ name: 'b', content }])

describe.concurrent('archives', () => {
  const content = Buffer.from('harmless')

  test('that are what they seem are available', async () => {
    const archive = zip([
      { name: 'a/b.txt', content },
      { name: 'c.txt', content },
    ])
    expect(await verdict(archive)).toEqual(['available', null, 'application/zip'])
    expect((await verdict(gzipOfZeros(100_000)))[0]).toBe('available')
  })

  // Made before the platform opens: it shares the thread with them.
  test.each([
    ['of archives of zeros', nestedZip(3, 200_000_000), 'archive_bomb'],
    ['of archives, too deep', nestedZip(5, 1000), 'archive_bomb'],
    ['whose entries share bytes', overlappingZip(2000), 'archive_bomb'],
    ['of gzip with zeros', gzipOfZeros(300_000_000), 'archive_bomb'],
    [
      'of gzip, too deep',
      [1, 2, 3].reduce(inner => gzipSync(inner), gzipOfZeros(9)),
      'archive_bomb',
    ],
    ['with a path upwards', zip([{ name: '../x', content }]), 'archive_unsafe_path'],
    ['with an absolute path', zip([{ name: '/etc/x', content }]), 'archive_unsafe_path'],
    ['with a link', zip([{ name: 'x', content, symlink: true }]), 'archive_unsafe_path'],
    ['with a password', zip([{ name: 'x', content, encrypted: true }]), 'encrypted_content'],
    ['with macros', zip([{ name: 'word/vbaProject.bin', content }]), 'active_content'],
    [
      'with an embedded object',
      zip([{ name: 'word/embeddings/oleObject1.bin', content }]),
      'active_content',
    ],
    [
      'with a template from elsewhere',

      zip([
        {
          name: 'word/_rels/settings.xml.rels',
          content: Buffer.from(
            '<Relationships><Relationship Id="r1" Type="http://schemas.openxmlformats.org/officeDocument/2006/relationships/attachedTemplate" Target="http://x/t.dotm" TargetMode="External"/></Relationships>',
          ),
        },
      ]),
      'active_content',
    ],
    [
      'cut short',
      zip([{ name: 'x', content: randomBytes(9000) }]).subarray(0, 5000),
      'archive_uninspectable',
    ],
  ])('%s are refused', async (_name, bytes, code) => {
    expect((await verdict(bytes)).slice(0, 2)).toEqual(['quarantined', code])
  })

  const elf = Buffer.concat([Buffer.from('\x7fELF'), Buffer.alloc(100)])
  const packings: [string, (content: Buffer) => Promise<Buffer> | Buffer][] = [
    [
      'in a zip',
      inner =>
        zip([
          { name: 'a.txt', content },
          { name: 'b', content: inner },
        ]),
    ],
    ['in a zip in a zip', inner => inZip(inZip(inner))],
    ['in gzip', inner => gzipSync(inner)],
    ['in a tar.gz', async inner => gzipSync(await tar([{ name: 'b' }], inner))],
    ['in a tar.gz in a zip', async inner => inZip(gzipSync(await tar([{ name: 'b' }], inner)))],
    ['in gzip in a tar', inner => tar([{ name: 'b' }], gzipSync(inner))],
    ['in a zip in gzip', inner => gzipSync(inZip(inner))],
  ]
  test.each(packings)('%s are looked into', async (_name, packed) => {
    const codes = async (inner: Buffer) => (await verdict(await packed(inner))).slice(0, 2)
    expect(await codes(content)).toEqual(['available', null])
    const hidden = Buffer.concat([Buffer.alloc(70_000, 'x'), eicar])
    expect(await codes(hidden)).toEqual(['quarantined', 'malware_detected'])
    expect(await codes(elf)).toEqual(['quarantined', 'type_not_allowed'])
    const rar = Buffer.from('Rar!\x1a\x07\0', 'latin1')
    expect(await codes(rar)).toEqual(['quarantined', 'archive_uninspectable'])
  })

  test('with sources, an index of pictures or a long log are available', async () => {
    const sources = zip([
      { name: 'build.sh', content: Buffer.from('#!/bin/sh\nmake\n') },
      { name: 'Thumbs.db', content: Buffer.from('d0cf11e0a1b11ae10000', 'hex') },
    ])
    expect((await verdict(sources)).slice(0, 2)).toEqual(['available', null])
    const line = 'GET /healthz 200 0.4 ms, from the load balancer\n'
    const log = inZip(Buffer.alloc(25_000_000, line))
    expect(log.length * 100).toBeLessThan(25_000_000)
    expect((await verdict(log)).slice(0, 2)).toEqual(['available', null])
  })

  test('of tar are looked into, packed or not', async () => {
    const plain = [
      { name: 'a/b.txt' },
      { name: 'a/link', type: 'symlink', linkname: '../a/b.txt' },
    ] as const
    const { file } = await world.store(await world.member(), await tar(plain))
    expect([file.state, file.detected_type]).toEqual(['available', 'application/x-tar'])
    expect(file.metadata).toEqual({ entries: 2, expanded_bytes: 8 })
    expect((await verdict(gzipSync(await tar(plain))))[0]).toBe('available')
  })

  test.each([
    ['a path upwards', [{ name: '../x' }], 'archive_unsafe_path'],
    [
      'a link outside',
      [{ name: 'a/x', type: 'symlink', linkname: '../../etc/passwd' }],
      'archive_unsafe_path',
    ],
    [
      'a hard link outside',
      [{ name: 'x', type: 'link', linkname: '/etc/x' }],
      'archive_unsafe_path',
    ],
    ['a device', [{ name: 'x', type: 'character-device' }], 'archive_unsafe_path'],
  ] as const)('of tar with %s are refused', async (_name, entries, code) => {
    const archive = await tar(entries)
    for (const bytes of [archive, gzipSync(archive)])
      expect((await verdict(bytes)).slice(0, 2)).toEqual(['quarantined', code])
  })

  test('of tar are refused for what is in a zip inside, and where they are cut short', async () => {
    const inside = await tar([{ name: 'bomb.zip' }], overlappingZip(2000).toString('latin1'))
    const cut = (await tar([{ name: 'x' }], 'x'.repeat(9000))).subarray(0, 5000)
    expect((await verdict(cut)).slice(0, 2)).toEqual(['quarantined', 'media_corrupt'])
    expect((await verdict(inside))[0]).toBe('quarantined')
  })
})

describe.concurrent('documents', () => {
  test.each([
    ['plain', pdf(''), null],
    ['a script', pdf('/OpenAction << /S /JavaScript /JS (app.alert(1)) >>'), 'active_content'],
    ['a link to a page', pdf('/A << /URI (https://example.com/JavaScript) >>'), null],
    ['text about scripts', packedPdf('/Title (Forms /JS and more)'), null],
    ['a script after a bracket in a comment', pdf('%(\n/AA << /JS (x) >>\n%)'), 'active_content'],
    ['a script between brackets', packedPdf('<(>/S/JavaScript/X<)>'), 'active_content'],
    ['an escaped bracket', pdf('/AA << /S#28/JavaScript /X#29 >>'), 'active_content'],
    ['a script with escaped names', pdf('/AA << /S /#4aava#53cript >>'), 'active_content'],
    ['a script in a compressed stream', packedPdf('/AA << /S /JavaScript >>'), 'active_content'],
    ['a program to launch', pdf('/OpenAction << /S /Launch /F (cmd.exe) >>'), 'active_content'],
    ['a password', pdf('/Encrypt 5 0 R'), 'encrypted_content'],
    ['too many pages', pdf('', 2001), 'scan_limit_exceeded'],
    ['no pages that can be read', Buffer.from('%PDF-1.4\nnothing here\n%%EOF\n'), 'media_corrupt'],
  ])('%s', async (_name, bytes, code) => {
    const found = await verdict(bytes)
    expect(found).toEqual([code ? 'quarantined' : 'available', code, 'application/pdf'])
  })

  test('a PDF says how many pages it has', async () => {
    const { file } = await world.store(await world.member(), pdf('', 3))
    expect(file.metadata).toEqual({ pages: 3 })
  })

  test('EICAR is found anywhere, also across two reads', async () => {
    const across = Buffer.concat([
      Buffer.alloc(1024 * 1024 - 30, 'x'),
      eicar,
      Buffer.alloc(99, 'y'),
    ])
    for (const bytes of [eicar, across])
      expect((await verdict(bytes)).slice(0, 2)).toEqual(['quarantined', 'malware_detected'])
  })
})

test('a content that is blocked is refused, and quarantined where it is available', async () => {
  const who = await world.member()
  const bytes = randomBytes(100)
  const { file_id, state } = await world.store(who, bytes)
  expect(state).toBe('available')
  const { operator } = face
  const sha256 = createHash('sha256').update(bytes).digest()
  expect(await operator.blockHash(sha256, { actor: 'test', reason: 'known to do harm' })).toBe(1)
  const found = await eventually('the file is in quarantine', async () => {
    const { body } = await world.file(who, file_id)
    return body.state === 'quarantined' && body
  })
  expect(found.error_code).toBe('malware_detected')
  expect((await verdict(bytes)).slice(0, 2)).toEqual(['quarantined', 'malware_detected'])
  expect(await operator.unblockHash(sha256, 'test')).toBe(true)
  expect((await verdict(bytes))[0]).toBe('available')
})

test('a content that is blocked while its file is processed does not become available', async () => {
  const who = await world.member()
  const bytes = await picture(300, 200)
  const sha256 = createHash('sha256').update(bytes).digest()
  // It has passed the check of its content, and goes on after the block.
  const held = holdAt(world.platform.faults, 'uploads.before_derive')
  const order = { purpose: 'avatar', media_category: 'image' }
  const { body } = await world.begin(who, bytes, order)
  await world.send(body, bytes)
  const { file_id } = (await world.complete(who, body.id)).body
  await held.reached()
  expect(await face.operator.blockHash(sha256, { actor: 'test', reason: 'harm' })).toBe(1)
  held.release()
  const found = await eventually('the file is refused', async () => {
    const answer = await world.file(who, file_id)
    return answer.body.state === 'quarantined' && answer.body
  })
  expect(found.error_code).toBe('malware_detected')
  await face.operator.unblockHash(sha256, 'test')
})

test('a content that is blocked while its file is added does not become available', async () => {
  const who = await world.member()
  const bytes = randomBytes(100)
  const sha256 = createHash('sha256').update(bytes).digest()
  const { db } = world.platform.kernel
  const { body } = await world.begin(who, bytes)
  await world.send(body, bytes)
  const { completing } = await db.tx(async tx => {
    await tx.run(sql`select pg_advisory_xact_lock(${contentLock(sha256)})`)
    const completing = world.complete(who, body.id)
    const waits = sql`
      select from pg_locks l join pg_stat_activity a on a.pid = l.pid
      where a.datname = current_database() and l.locktype = 'advisory' and not l.granted`
    await eventually('the file waits', async () => (await db.run(waits)) > 0)
    await tx.run(sql`
      insert into uploads.blocked_hashes (sha256, reason, created_by)
      values (${sha256}, 'harm', 'test')`)
    return { completing }
  })
  const { file_id } = (await completing).body
  expect((await world.settled(who, file_id)).state).toBe('quarantined')
  await face.operator.unblockHash(sha256, 'test')
})
