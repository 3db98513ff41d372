/**
 * The version of the pipeline: a hash of the versions and settings of all steps that make chunks of
 * a source. Raise the number of a step when the same bytes give another result. A source is then
 * read again at its next update or sync, and at the next reindex of its collection. The embedding
 * model is the profile of an index version, so a job names both.
 */
import { createHash } from 'node:crypto'
import { chunker_version, default_chunking } from '../chunking/chunking.ts'
import { default_limits } from '../extraction/extract.ts'

const steps = {
  extractor: 2,
  limits: default_limits,
  ocr: ['tesseract.js@7', 'eng'],
  normalizer: 1,
  chunker: chunker_version,
  chunking: default_chunking,
  metadata_mapping: 1,
}

export const pipeline_version = `pipeline@${createHash('sha256')
  .update(JSON.stringify(steps))
  .digest('hex')
  .slice(0, 12)}`
