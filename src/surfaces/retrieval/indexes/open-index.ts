/** The search engine of this process: LanceDB in the platform's folder or bucket, or the exact one. */
import { join } from 'node:path'
import { openExactIndex } from '../engines/exact-index.ts'
import type { RetrievalIndex } from '../engines/index.ts'
import { openLanceIndex } from '../engines/lance/open-lance-index.ts'
import type { Storage } from '../engines/lance/protocol.ts'
import type { Kernel } from '../settings.ts'

export function openIndex(kernel: Pick<Kernel, 'settings' | 'data_dir'>): RetrievalIndex {
  const { settings } = kernel
  if (settings['retrieval.engine'] === 'exact') return openExactIndex()
  return openLanceIndex({
    storage: storageOf(kernel),
    memory_bytes: settings['retrieval.engine_bytes'],
    read_seconds: settings['retrieval.search_seconds'],
    idle_seconds: 60,
  })
}

function storageOf({ settings, data_dir }: Pick<Kernel, 'settings' | 'data_dir'>): Storage {
  if (settings['kernel.objects_engine'] === 'local') {
    return { uri: join(data_dir, 'retrieval'), options: {} }
  }
  const endpoint = settings['kernel.objects_s3_endpoint']
  const given = {
    aws_access_key_id: settings['kernel.objects_s3_access_key'],
    aws_secret_access_key: settings['kernel.objects_s3_secret_key'],
    aws_region: settings['kernel.objects_s3_region'],
    aws_endpoint: endpoint,
    allow_http: endpoint?.startsWith('http:') ? 'true' : null,
    aws_virtual_hosted_style_request: String(!settings['kernel.objects_s3_path_style']),
  }
  const options = Object.entries(given).flatMap(([name, value]) =>
    value === null ? [] : [[name, value] as const],
  )
  const uri = `s3://${settings['kernel.objects_s3_bucket']}/retrieval-indexes`
  return { uri, options: Object.fromEntries(options) }
}
