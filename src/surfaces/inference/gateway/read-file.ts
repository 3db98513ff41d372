/** A file as OpenAI's dialects send it: inline, or by its id. */
import { readDataUrl } from '../operations/attachments.ts'
import { namedFile } from '../operations/files.ts'
import type { File } from '../providers/form.ts'
import { missing } from './dialect.ts'

type Given = {
  readonly file_data?: string | null
  readonly file_id?: string | null
  readonly filename?: string | null
}

export function fileOf({ file_data, file_id, filename }: Given, at: string): File {
  if (file_id && !file_data) return namedFile('document', file_id)
  if (!file_data) throw missing(`${at}/file_data`)
  return readDataUrl(`${at}/file_data`, file_data, filename ?? undefined)
}
