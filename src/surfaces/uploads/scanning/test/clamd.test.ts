/** Files that pass through clamd: Debian's daemon, and daemons that misbehave. */
import { randomBytes } from 'node:crypto'
import { once } from 'node:events'
import { rm } from 'node:fs/promises'
import { createServer, type Server, type Socket } from 'node:net'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { Type } from 'typebox'
import { afterAll, beforeAll, describe, expect, test } from 'vitest'
import {
  clamdIsInstalled,
  marker,
  startClamd,
  type RunningClamd,
} from '../../../../../test/clamd.ts'
import { eventually } from '../../../../../test/world.ts'
import { newId, sql } from '#dodeca/kernel'
import { openUploadWorld, type UploadWorld } from '../../test/upload-world.ts'
import { openClamd, ScannerUnavailable } from '../clamd.ts'

const MiB = 1024 * 1024
const soon = () => AbortSignal.timeout(20_000)

async function* pieces(...all: Uint8Array[]) {
  for (const one of all) yield await Promise.resolve(one)
}

describe.skipIf(!clamdIsInstalled)('with clamd', () => {
  let clamd: RunningClamd
  let world: UploadWorld
  beforeAll(async () => {
    clamd = await startClamd({ max_bytes: 2 * MiB })
    world = await openUploadWorld({
      UPLOADS_CLAMD: clamd.address,
      UPLOADS_SCAN_MAX_BYTES: String(4 * MiB),
      UPLOADS_SCAN_RETRY_SECONDS: '0.1',
    })
  })
  afterAll(async () => {
    await world.close()
    await clamd.close()
  })

  test.concurrent('the client tells clean, found and too large apart', async () => {
    const client = openClamd(clamd.address)
    expect(await client.version(soon())).toMatchObject({
      version: expect.stringMatching(/^ClamAV/),
    })
    expect(await client.scan(pieces(randomBytes(100)), soon())).toEqual({ kind: 'clean' })
    expect(await client.scan(pieces(), soon())).toEqual({ kind: 'clean' })
    const infected = Buffer.from(`before ${marker} after`)
    expect(await client.scan(pieces(infected), soon())).toEqual({
      kind: 'found',
      name: 'Dodeca.Test.Marker.UNOFFICIAL',
    })
    const large = Array.from({ length: 10 }, () => randomBytes(MiB))
    expect(await client.scan(pieces(...large), soon())).toEqual({ kind: 'limit_exceeded' })
  })

  test.concurrent(
    'a clean file is available, with the scanner’s version in its result',
    async () => {
      const who = await world.member()
      const { file } = await world.store(who, randomBytes(5000))
      expect(file).toMatchObject({
        state: 'available',
        scan_result: {
          verdict: 'clean',
          engines: [
            { name: 'policy' },
            { name: 'clamd', version: expect.stringMatching(/^ClamAV/) },
          ],
        },
      })
    },
  )

  test.concurrent('an infected file is quarantined; only who may sees what was found', async () => {
    const who = await world.member()
    const bytes = Buffer.from(`text with ${marker} in it`)
    const { file, file_id, upload_id } = await world.store(who, bytes)
    expect(file).toMatchObject({ state: 'quarantined', error_code: 'malware_detected' })
    expect(file.scan_result).toMatchObject({ verdict: 'infected', findings: [] })
    const url = await world.url(who, file_id)
    expect([url.status, url.body.code]).toEqual([409, 'file_not_available'])
    const upload = await world.call('GET', `/v1/uploads/${upload_id}`, { token: who.token })
    expect(upload.body).toMatchObject({ state: 'quarantined', quarantined: true })
    const auditor = await world.member(who.tenant)
    await world.allow(auditor, 'uploads.quarantine.read', 'uploads.files.read_any')
    const seen = await world.file(auditor, file_id)
    expect(seen.body.scan_result.findings).toEqual(['Dodeca.Test.Marker.UNOFFICIAL'])
  })

  test.concurrent('what the scanner finds too large is refused, not passed', async () => {
    const who = await world.member()
    const { file } = await world.store(who, randomBytes(3 * MiB))
    expect(file).toMatchObject({ state: 'quarantined', error_code: 'scan_limit_exceeded' })
    const made = await world.begin(who, randomBytes(10), { expected_size: 5 * MiB })
    expect([made.status, made.body.code]).toEqual([413, 'content_too_large'])
  })
})

describe('a scanner that', () => {
  const servers: Server[] = []
  const sockets: string[] = []
  afterAll(async () => {
    for (const server of servers) server.close()
    await Promise.all(sockets.map(path => rm(path, { force: true })))
  })

  async function serve(answer: (socket: Socket) => void, at = join(tmpdir(), `c-${newId()}`)) {
    const server = createServer(socket => {
      socket.on('error', () => {})
      answer(socket)
    })
    servers.push(server)
    sockets.push(at)
    server.listen(at)
    await once(server, 'listening')
    return at
  }
  const scan = (address: string, signal = soon()) =>
    openClamd(address).scan(pieces(...Array.from({ length: 8 }, () => randomBytes(MiB))), signal)

  test.concurrent('replies before it has read everything is heard', async () => {
    const address = await serve(socket => {
      socket.end('INSTREAM size limit exceeded. ERROR\0')
    })
    expect(await scan(address)).toEqual({ kind: 'limit_exceeded' })
  })

  test.concurrent('replies and closes between two writes is heard', async () => {
    const closed = Promise.withResolvers<undefined>()
    const address = await serve(socket => {
      socket.once('close', () => closed.resolve(undefined))
      socket.once('data', () => {
        socket.pause()
        socket.write('INSTREAM size limit exceeded. ERROR\0', () => socket.destroy())
      })
    })
    const content = async function* () {
      yield randomBytes(100)
      await closed.promise
      // The reply has arrived, and was not read yet.
      yield randomBytes(100)
      yield randomBytes(100)
    }
    expect(await openClamd(address).scan(content(), soon())).toEqual({ kind: 'limit_exceeded' })
  })

  test.concurrent.each([
    ['closes', (socket: Socket) => socket.destroy()],
    ['talks nonsense', (socket: Socket) => socket.end('hello\0')],
    ['says nothing but bytes', (socket: Socket) => socket.write('x'.repeat(10_000))],
    ['reports an error', (socket: Socket) => socket.end('stream: Can’t allocate memory ERROR\0')],
  ])('%s is an outage, never clean', async (_name, answer) => {
    await expect(scan(await serve(answer))).rejects.toThrow(ScannerUnavailable)
  })

  test.concurrent('hangs is left after its time', async () => {
    const address = await serve(socket => void socket.resume())
    await expect(scan(address, AbortSignal.timeout(200))).rejects.toThrow(ScannerUnavailable)
  })

  test('is down leaves a new file waiting; when it is back, the file becomes available', async () => {
    const address = join(tmpdir(), `c-${newId()}`)
    const world = await openUploadWorld({
      UPLOADS_CLAMD: address,
      UPLOADS_SCAN_RETRY_SECONDS: '0.05',
    })
    try {
      const who = await world.member()
      const bytes = randomBytes(100)
      const { body } = await world.begin(who, bytes)
      await world.send(body, bytes)
      const { file_id } = (await world.complete(who, body.id)).body
      const waiting = await expectAttempt(world, who, file_id)
      expect(waiting.state).toBe('uploaded')
      const early = await world.url(who, file_id)
      expect([early.status, early.body.code]).toEqual([409, 'file_not_available'])
      const { db } = world.platform.kernel
      await db.run(sql`
        update uploads.files set created_at = kernel.now() - interval '1000 seconds'
        where id = ${file_id}`)
      const later = sql`
        select from uploads.files
        where id = ${file_id} and due_at > kernel.now() + interval '60 seconds'`
      await eventually('a longer wait', async () => (await db.run(later)) > 0)
      await db.run(sql`update uploads.files set due_at = kernel.now() where id = ${file_id}`)
      await serve(socket => {
        socket.on('data', (chunk: Buffer) => {
          if (chunk.includes('zVERSION')) socket.end('ClamAV 1.0/2/date\0')
          else if (chunk.subarray(-4).equals(Buffer.alloc(4))) socket.end('stream: OK\0')
        })
      }, address)
      expect((await world.settled(who, file_id)).state).toBe('available')
    } finally {
      await world.close()
    }
  })
})

/** Until the scanner was asked in vain at least once. */
async function expectAttempt(
  world: UploadWorld,
  who: Parameters<UploadWorld['file']>[0],
  file_id: string,
) {
  const { db } = world.platform.kernel
  await eventually('an attempt at the scan stage', async () => {
    const rows = await db.many(
      Type.Object({ id: Type.String() }),
      sql`
        select id from uploads.processing_attempts
        where file_id = ${file_id} and stage = 'scan' and error_code = 'scan_unavailable'`,
    )
    return rows.length > 0
  })
  return (await world.file(who, file_id)).body
}
