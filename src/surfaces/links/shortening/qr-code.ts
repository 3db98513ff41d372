/**
 * The QR code of a short URL, as SVG or PNG. Its content never changes, because code and host of a
 * link are fixed. So the entity tag is made from the request. `?s=qr` in the short URL lets the
 * statistics count clicks from the QR code.
 */
import { createHash } from 'node:crypto'
import Negotiator from 'negotiator'
import { Type, type Static } from 'typebox'
import { closed, count } from '#dodeca/kernel'

export const QrQuery = closed({
  domain: Type.Optional(Type.String({ minLength: 1, maxLength: 253 })),
  format: Type.Optional(Type.Unsafe<'svg' | 'png'>({ type: 'string', enum: ['svg', 'png'] })),
  size: Type.Optional(count(128, 2048)),
  ec: Type.Optional(
    Type.Unsafe<keyof typeof corrections>({ type: 'string', enum: ['L', 'M', 'Q', 'H'] }),
  ),
  margin: Type.Optional(count(0, 10)),
})
export type QrQuery = Static<typeof QrQuery>

export type Picture = {
  readonly body: string | Uint8Array
  readonly headers: Readonly<Record<string, string>>
}

const corrections = { L: 'low', M: 'medium', Q: 'quartile', H: 'high' } as const

/** The libraries are loaded with the first picture. */
export async function qrCode(short_url: string, query: Omit<QrQuery, 'domain'>): Promise<Picture> {
  const { encodeQR } = await import('qr')
  const { format = 'svg', size = 512, ec = 'M', margin = 4 } = query
  const payload = `${short_url}?s=qr`
  const dots = framed(encodeQR(payload, 'raw', { ecc: corrections[ec], border: 1 }), margin)
  const tag = createHash('sha256')
    .update(JSON.stringify([payload, format, size, ec, margin]))
    .digest('base64url')
    .slice(0, 22)
  return {
    body: format === 'png' ? await png(dots, size) : svg(dots, size),
    headers: {
      'content-type': format === 'png' ? 'image/png' : 'image/svg+xml; charset=utf-8',
      etag: `"${tag}"`,
    },
  }
}

const kinds = { 'image/svg+xml': 'svg', 'image/png': 'png' } as const

/** SVG if the client accepts both equally. */
export function acceptedFormat(accept: string | string[] | undefined): 'svg' | 'png' {
  const negotiator = new Negotiator({ headers: { accept: accept ? String(accept) : '*/*' } })
  const wanted = negotiator.mediaType(Object.keys(kinds)) as keyof typeof kinds | undefined // one of ours
  return wanted ? kinds[wanted] : 'svg'
}

type Dots = readonly (readonly boolean[])[]

/**
 * Draws the requested margin, which may be zero. The library itself supports no margin below one
 * module.
 */
function framed(bordered: Dots, margin: number): Dots {
  const bare = bordered.slice(1, -1).map(row => row.slice(1, -1))
  const side = Array.from({ length: margin }, () => false)
  const blank = Array.from({ length: bare.length + 2 * margin }, () => false)
  const edge = Array.from({ length: margin }, () => blank)
  return [...edge, ...bare.map(row => [...side, ...row, ...side]), ...edge]
}

/** One path over a white background. A run of dark modules is one rectangle. */
function svg(dots: Dots, size: number): string {
  const side = dots.length
  const path = dots.flatMap((row, y) =>
    runs(row).map(([from, to]) => `M${from} ${y}h${to - from}v1h${from - to}z`),
  )
  return (
    `<svg xmlns="http://www.w3.org/2000/svg" width="${size}" height="${size}" ` +
    `viewBox="0 0 ${side} ${side}" shape-rendering="crispEdges">` +
    `<path fill="#fff" d="M0 0h${side}v${side}H0z"/><path d="${path.join('')}"/></svg>\n`
  )
}

function runs(row: readonly boolean[]): [number, number][] {
  const found: [number, number][] = []
  for (const [x, dark] of row.entries()) {
    const last = found.at(-1)
    if (dark && last?.[1] === x) last[1] = x + 1
    else if (dark) found.push([x, x + 1])
  }
  return found
}

/** Every module has the same whole number of pixels. The remaining pixels go to the margin. */
async function png(dots: Dots, size: number): Promise<Uint8Array> {
  const { PNG } = await import('pngjs')
  const side = dots.length
  const scale = Math.max(1, Math.floor(size / side))
  const width = Math.max(size, side)
  const offset = Math.floor((width - side * scale) / 2)
  const image = new PNG({ width, height: width, colorType: 0 })
  image.data.fill(255)
  for (const [y, row] of dots.entries()) {
    for (const [from, to] of runs(row)) {
      for (let line = 0; line < scale; line++) {
        const at = (offset + y * scale + line) * width + offset
        for (let x = from * scale; x < to * scale; x++)
          image.data.fill(0, (at + x) * 4, (at + x) * 4 + 3)
      }
    }
  }
  return PNG.sync.write(image, { colorType: 0 })
}
