/** The OpenAPI document of the product's own routes. */
import { composition } from '../src/platform.ts'
import type { Platform } from '../src/runtime/open-platform.ts'
import { openUnconnected } from '../src/runtime/open-unconnected.ts'
import { loadConfig } from '../src/settings.ts'

/** The product with its defaults, opened but not started. */
export async function openProduct(): Promise<Platform> {
  return await openUnconnected(loadConfig({ PUBLIC_URL: 'http://localhost:8080' }, {}), composition)
}

/** The text of docs/openapi.json: indented, so that two versions can be compared. */
export async function openApiText(): Promise<string> {
  const product = await openProduct()
  try {
    return `${JSON.stringify(JSON.parse(product.document()), null, 2)}\n`
  } finally {
    await product.stop()
  }
}
