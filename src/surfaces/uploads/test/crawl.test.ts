/** Uploads under the crawler: how uploads and files come about, and what their signed URLs say. */
import type { Maker } from '../../../testing/contract/crawl.ts'
import { crawlSurface } from '../../../../test/crawler/product.ts'
import type { Member, ProductWorld } from '../../../../test/product-world.ts'
import { eventually } from '../../../../test/world.ts'
import { sha256 } from './upload-world.ts'

type Making = Maker<ProductWorld, Member>

const bytes = Buffer.from('the crawler was here')
const order = {
  expected_size: bytes.length,
  media_category: 'any',
  purpose: 'generic',
  checksum: sha256(bytes),
}
/** The query of the URL that was signed for a path. */
const signed = new Map<string, string>()

async function begun({ ask }: Making): Promise<string> {
  const { id, upload_url } = await ask('POST', '/v1/uploads', order)
  signed.set(id, upload_url)
  return id
}

async function sent(maker: Making, id: string): Promise<void> {
  const url = (signed.get(id) ?? '').replace('http://dodeca.test', maker.world.url)
  const answer = await fetch(url, { method: 'PUT', body: new Uint8Array(bytes) })
  if (answer.status !== 200) throw new Error(`the part was refused: ${await answer.text()}`)
}

async function file(maker: Making): Promise<string> {
  const id = await begun(maker)
  await sent(maker, id)
  const { file_id } = await maker.ask('POST', `/v1/uploads/${id}/complete`, {})
  await eventually('the file is available', async () => {
    const { state } = await maker.ask('GET', `/v1/files/${file_id}`)
    return state === 'available'
  })
  const { url } = await maker.ask('GET', `/v1/files/${file_id}/download-url`)
  signed.set(file_id, url)
  return file_id
}

const queryOf = (id = '') => Object.fromEntries(new URL(signed.get(id) ?? 'http://x').searchParams)

await crawlSurface({
  surface: 'uploads',
  settings: { UPLOADS_OPEN_PER_PRINCIPAL: '10000', UPLOADS_TENANT_QUOTA_BYTES: String(2 ** 40) },
  subjects: {
    '/v1/uploads/{upload_id}': { make: begun },
    '/v1/files/{file_id}': { make: file },
    // The URL is the credential: a caller of any tenant may use it.
    '/_objects/u/{upload_id}': { shared: true, make: begun },
    '/_objects/u/{upload_id}/{part_number}': { shared: true, make: () => '1' },
    '/_objects/d/{file_id}': { shared: true, make: file },
    '/_objects/d/{file_id}/{variant}': { shared: true, make: () => 'original' },
  },
  recipes: {
    'POST /v1/uploads': {
      request: () => ({ body: order }),
      refusal: () => ({ body: { ...order, filename: 'invoice.pdf.exe' } }),
    },
    'POST /v1/uploads/{upload_id}/complete': {
      request: async (maker, { upload_id = '' }) => {
        await sent(maker, upload_id)
        return { body: {} }
      },
    },
    'PUT /_objects/u/{upload_id}/{part_number}': {
      request: (_maker, { upload_id }) => ({ query: queryOf(upload_id), bytes }),
    },
    'GET /_objects/d/{file_id}/{variant}': {
      request: (_maker, { file_id }) => ({ query: queryOf(file_id) }),
    },
  },
})
