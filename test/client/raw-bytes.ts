/** What came over the wire, still compressed. */
import { get } from 'node:http'
import { buffer } from 'node:stream/consumers'

export async function rawBytes(url: string): Promise<{ etag: string | undefined; body: Buffer }> {
  return await new Promise((resolve, reject) => {
    get(url, { headers: { 'accept-encoding': 'br' } }, response => {
      buffer(response).then(body => resolve({ etag: response.headers.etag, body }), reject)
    }).on('error', reject)
  })
}
