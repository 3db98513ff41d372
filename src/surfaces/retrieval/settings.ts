/** The settings of this surface: name, default, unit, one sentence, bounds. */
import { faultsIn, openAddressRules, refusals, setting, StartError } from '#dodeca/kernel'
import type { KernelOf, Port, SettingTable } from '#dodeca/kernel'
import { isInstalled } from './installed.ts'

const MiB = 1024 * 1024

// prettier-ignore
export const settings = {
  'retrieval.default_profile': setting.text('Embedding profile of new collections: auto, or the id of one', 'auto'),
  'retrieval.embedding_model': setting.text('The embedding model of INFERENCE_EMBEDDING_MODEL and the dimensions of its vectors, such as text-embedding-3-small:1536, to offer it as an embedding profile', ''),
  'retrieval.engine': { ...setting.text('Where chunks are searched: lancedb, or exact (in memory, up to 20,000 chunks)', 'lancedb'), oneOf: ['lancedb', 'exact'] },
  'retrieval.engine_bytes': setting.count(1024 * MiB, 'bytes', 'Memory of the process that searches, above which it is replaced', 64 * MiB, 1024 * 1024 * MiB),
  'retrieval.search_seconds': setting.count(10, 's', 'Longest time of one search in an index', 1, 600),
  'retrieval.document_bytes': setting.count(50 * MiB, 'bytes', 'Largest file that becomes a document', 1, 1024 * MiB),
  'retrieval.chunks_per_document': setting.count(20_000, 'chunks', 'Most chunks of a document', 1, 1_000_000),
  'retrieval.documents_per_collection': setting.count(1_000_000, 'documents', 'Most documents of a collection', 1, 100_000_000),
  'retrieval.connectors_per_collection': setting.count(20, 'connectors', 'Most connectors of a collection', 1, 1000),
  'retrieval.collections_per_tenant': setting.count(200, 'collections', 'Most collections of a tenant', 1, 100_000),
  'retrieval.answers_per_minute': setting.count(60, 'answers/min', 'Answers and searches of one principal', 1, 1_000_000),
  'retrieval.answer_retention_days': setting.count(90, 'days', 'How long answers are kept', 1, 3650),
  'retrieval.answer_seconds': setting.count(120, 's', 'Longest time in which one answer is written', 5, 600),
  'retrieval.job_retention_days': setting.count(30, 'days', 'How long ended ingestion jobs are kept', 1, 3650),
  'retrieval.rollback_days': setting.count(7, 'days', 'How long a replaced index version is kept for a rollback', 0, 365),
  'retrieval.purge_every_seconds': setting.count(3600, 's', 'Shortest time between two removals of the bytes of deleted rows from one index', 0, 86_400),
  'retrieval.sweep_seconds': setting.count(3600, 's', 'How often indexes are compared with the documents', 0.05, 86_400),
  'retrieval.extractors': setting.count(2, 'processes', 'Child processes that open documents of users', 1, 64),
  'retrieval.fetch_seconds': setting.count(60, 's', 'Longest time in which a URL is fetched', 1, 600),
  'retrieval.fetches': setting.count(2, 'fetches', 'URLs that one process fetches at once', 1, 64),
  'retrieval.web_pages': setting.count(500, 'pages', 'Most pages that one sync of a web connector fetches', 1, 100_000),
  'retrieval.allowed_private_cidrs': setting.list('Private networks whose URLs may be fetched'),
  'retrieval.allowed_ports': setting.text('Ports of URLs that may be fetched, and ranges such as 8000-8999', '80,443,8443'),
} as const satisfies SettingTable

/** The kernel as this surface sees it. */
export type Kernel = KernelOf<typeof settings>

/** Returns a sentence for each value that cannot work. */
export function settingFaults(given: Kernel['settings']): string[] {
  const wanted = given['retrieval.default_profile']
  const allow = given['retrieval.allowed_private_cidrs']
  const ids = localProfiles()
  const read = refusals({
    RETRIEVAL_EMBEDDING_MODEL: () => {
      const model = embeddingModel(given)
      if (model) ids.push(profileId(model))
    },
    RETRIEVAL_ALLOWED_PORTS: () => allowedPorts(given),
    RETRIEVAL_ALLOWED_PRIVATE_CIDRS: () => openAddressRules({ ports: [], allow }),
  })
  const unknown = `RETRIEVAL_DEFAULT_PROFILE: ${wanted} is not one of auto, ${ids.join(', ')}.`
  const engine = given['retrieval.engine'] === 'lancedb' && !isInstalled('lancedb')
  return [
    ...read,
    ...faultsIn([
      [wanted !== 'auto' && !ids.includes(wanted), unknown],
      [engine, 'RETRIEVAL_ENGINE: LanceDB is not installed. Use the full image, or set exact.'],
    ]),
  ]
}

/** The embedding profiles that need no provider. */
function localProfiles(): string[] {
  return ['hash-ngram-384@1', ...(isInstalled('use-512@1') ? ['use-512@1'] : [])]
}

export function profileId({ model, dimensions }: { model: string; dimensions: number }): string {
  return `${model}-${dimensions}@1`
}

/** Null if none is configured. */
export function embeddingModel(given: Kernel['settings']) {
  const value = given['retrieval.embedding_model'].trim()
  if (value === '') return null
  const [, model = '', digits = ''] = /^(\S{1,150}):(\d{1,5})$/.exec(value) ?? []
  const dimensions = Number(digits)
  if (model !== '' && dimensions >= 8 && dimensions <= 16_384) return { model, dimensions }
  throw new StartError(
    `RETRIEVAL_EMBEDDING_MODEL: "${value}" is not understood. Write the name of the model and the dimensions of its vectors, such as text-embedding-3-small:1536.`,
  )
}

export function allowedPorts(given: Kernel['settings']): Port[] {
  return given['retrieval.allowed_ports'].split(',').map(entry => {
    const [, from = '', to = from] = /^(\d{1,5})(?:-(\d{1,5}))?$/.exec(entry.trim()) ?? []
    const range = [Number(from), Number(to)] as const
    if (range[0] < 1 || range[1] > 65_535 || range[0] > range[1]) {
      throw new StartError(
        `RETRIEVAL_ALLOWED_PORTS: "${entry}" is not a port. Write ports and ranges, such as 443,8443,9000-9099.`,
      )
    }
    return range
  })
}
