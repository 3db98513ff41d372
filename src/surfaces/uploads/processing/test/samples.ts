/** Files made here: pictures, archives and documents, harmless and not. */
import { buffer } from 'node:stream/consumers'
import { crc32, deflateRawSync, deflateSync, gzipSync } from 'node:zlib'
import sharp from 'sharp'
import { pack } from 'tar-stream'

export type Entry = {
  readonly name: string
  readonly content: Buffer
  readonly encrypted?: true
  readonly symlink?: true
}

/** A zip as its format says, written by hand so that it may also lie. */
export function zip(entries: readonly Entry[]): Buffer {
  const files: Buffer[] = []
  const directory: Buffer[] = []
  let offset = 0
  for (const entry of entries) {
    const packed = deflateRawSync(entry.content)
    const { local, central } = headersOf(entry, packed, offset)
    files.push(local, packed)
    directory.push(central)
    offset += local.length + packed.length
  }
  return Buffer.concat([...files, endOf(directory, offset, entries.length)])
}

/** Many entries that all point at the same bytes. */
export function overlappingZip(count: number): Buffer {
  const content = Buffer.alloc(1_000_000)
  const packed = deflateRawSync(content)
  const first = headersOf({ name: 'a', content }, packed, 0)
  const directory = Array.from(
    { length: count },
    (_, n) => headersOf({ name: `f${n}`, content }, packed, 0).central,
  )
  const size = first.local.length + packed.length
  return Buffer.concat([first.local, packed, endOf(directory, size, count)])
}

function headersOf(entry: Entry, packed: Buffer, offset: number) {
  const { name, content, encrypted, symlink } = entry
  const shared = Buffer.alloc(26)
  shared.writeUInt16LE(20, 0)
  shared.writeUInt16LE(encrypted ? 1 : 0, 2)
  shared.writeUInt16LE(8, 4)
  shared.writeUInt32LE(crc32(content), 10)
  shared.writeUInt32LE(packed.length, 14)
  shared.writeUInt32LE(content.length, 18)
  shared.writeUInt16LE(Buffer.byteLength(name), 22)
  const local = Buffer.concat([Buffer.from('PK\x03\x04', 'latin1'), shared, Buffer.from(name)])
  const rest = Buffer.alloc(14)
  rest.writeUInt32LE(symlink ? (0o120777 << 16) >>> 0 : 0, 6)
  rest.writeUInt32LE(offset, 10)
  const central = Buffer.concat([
    Buffer.from('PK\x01\x02\x14\x03', 'latin1'),
    shared,
    rest,
    Buffer.from(name),
  ])
  return { local, central }
}

function endOf(directory: readonly Buffer[], offset: number, count: number): Buffer {
  const end = Buffer.alloc(22)
  end.write('PK\x05\x06', 'latin1')
  end.writeUInt16LE(count, 8)
  end.writeUInt16LE(count, 10)
  end.writeUInt32LE(
    directory.reduce((sum, one) => sum + one.length, 0),
    12,
  )
  end.writeUInt32LE(offset, 16)
  return Buffer.concat([...directory, end])
}

/** A zip of zips of zeros. */
export function nestedZip(depth: number, bytes: number): Buffer {
  let inner = zip([{ name: 'zeros', content: Buffer.alloc(bytes) }])
  for (let level = 1; level < depth; level++)
    inner = zip([{ name: `${level}.zip`, content: inner }])
  return inner
}

export const gzipOfZeros = (bytes: number) => gzipSync(Buffer.alloc(bytes))

export async function photo(width = 800, height = 600): Promise<Buffer> {
  const noise = { type: 'gaussian', mean: 128, sigma: 30 } as const
  return await sharp({ create: { width, height, channels: 3, background: '#888', noise } })
    .withExif({ IFD0: { Copyright: 'somebody', Make: 'a camera' } })
    .withMetadata({ orientation: 6 })
    .jpeg()
    .toBuffer()
}

export async function picture(width: number, height: number): Promise<Buffer> {
  return await sharp({ create: { width, height, channels: 4, background: '#36c' } })
    .png()
    .toBuffer()
}

/** A header that announces an enormous picture, and a little data. */
export function pixelBomb(side: number): Buffer {
  const head = Buffer.alloc(13)
  head.writeUInt32BE(side, 0)
  head.writeUInt32BE(side, 4)
  head.set([1, 0], 8)
  return Buffer.concat([
    Buffer.from('89504e470d0a1a0a', 'hex'),
    pngChunk('IHDR', head),
    pngChunk('IDAT', deflateSync(Buffer.alloc(1_000_000))),
    pngChunk('IEND', Buffer.alloc(0)),
  ])
}

/** A comment in a picture, as programs that draw write it. */
export const pngText = (text: string) => pngChunk('tEXt', Buffer.from(`Comment\0${text}`))

function pngChunk(type: string, data: Buffer): Buffer {
  const body = Buffer.concat([Buffer.from(type, 'latin1'), data])
  const frame = Buffer.alloc(8)
  frame.writeUInt32BE(data.length, 0)
  frame.writeUInt32BE(crc32(body), 4)
  return Buffer.concat([frame.subarray(0, 4), body, frame.subarray(4)])
}

/** One page after another, all of them empty; `body` goes into the catalog. */
export function pdf(body: string, pages = 1): Buffer {
  const kids = Array.from({ length: pages }, (_, n) => `${n + 3} 0 R`)
  const objects = [
    `<< /Type /Catalog /Pages 2 0 R ${body} >>`,
    `<< /Type /Pages /Kids [${kids.join(' ')}] /Count ${pages} >>`,
    ...kids.map(() => '<< /Type /Page /Parent 2 0 R /MediaBox [0 0 100 100] >>'),
  ]
  const written = objects.map((one, n) => `${n + 1} 0 obj\n${one}\nendobj\n`).join('')
  const size = `/Size ${objects.length + 1}`
  return Buffer.from(`%PDF-1.4\n${written}trailer << ${size} /Root 1 0 R >>\n%%EOF\n`)
}

/** An object in a compressed stream, as writers of PDF 1.5 put them. */
export function packedPdf(body: string): Buffer {
  const packed = deflateSync(Buffer.from(`9 0 << ${body} >> obj`))
  const end = pdf('').subarray('%PDF-1.4\n'.length)
  return Buffer.concat([
    Buffer.from(`%PDF-1.5\n8 0 obj\n<< /Type /ObjStm /Filter /FlateDecode >>\nstream\n`),
    packed,
    Buffer.from('\nendstream\nendobj\n'),
    end,
  ])
}

type TarEntry = Parameters<ReturnType<typeof pack>['entry']>[0]

export async function tar(
  entries: readonly TarEntry[],
  content: string | Buffer = 'harmless',
): Promise<Buffer> {
  const archive = pack()
  for (const entry of entries) {
    // What is written is noted in the header that is given.
    if (entry.type === undefined) archive.entry({ ...entry }, content)
    else archive.entry({ ...entry })
  }
  archive.finalize()
  return await buffer(archive)
}

/** In two pieces, so that no scanner takes this file for it. */
export const eicar = Buffer.from(
  ['X5O!P%@AP[4\\PZX54(P^)7CC)7}$', 'EICAR-STANDARD-ANTIVIRUS-TEST-FILE!$H+H*'].join(''),
)
