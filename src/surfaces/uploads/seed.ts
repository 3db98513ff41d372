/**
 * Creates demo files of the demo tenants: an avatar for each administrator. Each avatar is drawn
 * here and passes through all real steps.
 */
import { createHash } from 'node:crypto'
import { deflateSync, crc32 } from 'node:zlib'
import { Type } from 'typebox'
import { sql, type DemoTenant, type Principal } from '#dodeca/kernel'
import type { Deps } from './deps.ts'
import { checksumOf } from './schemas.ts'
import { completeUpload } from './uploads/complete-upload.ts'
import { createUpload, prepareUpload } from './uploads/create-upload.ts'

const Held = Type.Object({ files: Type.Integer() })

export async function seed(deps: Deps, tenants: readonly DemoTenant[]): Promise<string[]> {
  const { db, objects } = deps.kernel
  // With S3, parts are sent to the store itself, and a command has no client for that.
  if (objects.multipart.parts.kind !== 'received') return []
  const made: string[] = []
  for (const { id: tenant_id, slug, accounts } of tenants) {
    const admin = accounts.find(one => one.role_ids.includes('tenant_admin'))
    const { files } = await db.one(
      Held,
      sql`select count(*)::int as files from uploads.files where tenant_id = ${tenant_id}`,
    )
    if (!admin || files > 0) continue
    await seedAvatar(deps, { tenant_id, id: admin.id })
    made.push(`1 file, an avatar (${slug})`)
  }
  return made
}

async function seedAvatar(deps: Deps, { tenant_id, id }: { tenant_id: string; id: string }) {
  const { db, objects } = deps.kernel
  const { parts } = objects.multipart
  if (parts.kind !== 'received') return
  const principal: Principal = {
    id,
    tenant_id,
    kind: 'account',
    session_id: null,
    aal: 'aal1',
    auth_time: 0,
  }
  const caller = { principal, grants: () => Promise.resolve(new Set<string>()) }
  const picture = drawPicture(256)
  const checksum = checksumOf(createHash('sha256').update(picture).digest())
  const order = {
    expected_size: picture.length,
    media_category: 'image',
    purpose: 'avatar',
    claimed_type: 'image/png',
    filename: 'avatar.png',
    checksum,
  } as const
  const prepared = await prepareUpload(deps, caller, order)
  const upload = await db.tx(tx => createUpload(tx, deps, caller, order, prepared))
  const content = (async function* () {
    yield await Promise.resolve(picture)
  })()
  const stored = await parts.receive(upload.multipart_upload_id ?? '', 1, content, picture.length)
  await db.run(sql`
    insert into uploads.upload_parts (tenant_id, upload_id, part_number, etag, size, sha256, name)
    values (${tenant_id}, ${upload.id}, 1, ${stored.sha256?.toString('hex') ?? ''}, ${stored.size},
      ${stored.sha256}, ${stored.name})`)
  await completeUpload(db, { ...deps, verifying: { count: 0 } }, caller, upload.id, {})
}

/** A colour gradient as PNG. */
function drawPicture(side: number): Buffer {
  const rows = Buffer.alloc(side * (1 + side * 3))
  for (let y = 0; y < side; y++) {
    for (let x = 0; x < side; x++) {
      rows.set([x, 255 - y, 160], y * (1 + side * 3) + 1 + x * 3)
    }
  }
  const head = Buffer.alloc(13)
  head.writeUInt32BE(side, 0)
  head.writeUInt32BE(side, 4)
  head.set([8, 2], 8)
  const chunk = (type: string, data: Buffer) => {
    const body = Buffer.concat([Buffer.from(type, 'latin1'), data])
    const frame = Buffer.alloc(8)
    frame.writeUInt32BE(data.length, 0)
    frame.writeUInt32BE(crc32(body), 4)
    return Buffer.concat([frame.subarray(0, 4), body, frame.subarray(4)])
  }
  const signature = Buffer.from('89504e470d0a1a0a', 'hex')
  return Buffer.concat([
    signature,
    chunk('IHDR', head),
    // oxlint-disable-next-line node/no-sync -- a command, and a small picture
    chunk('IDAT', deflateSync(rows)),
    chunk('IEND', Buffer.alloc(0)),
  ])
}
