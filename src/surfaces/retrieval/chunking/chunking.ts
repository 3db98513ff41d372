/**
 * The form of a chunk and how large chunks are. Apart from `chunk.ts`, so that the platform does not
 * load the encoding that counts tokens (65 MB): only the child process that cuts texts does.
 */
export type Chunking = {
  readonly target_tokens: number
  readonly max_tokens: number
  /** A smaller remainder joins the chunk before it, if that chunk has room. */
  readonly min_tokens: number
  readonly overlap_tokens: number
  readonly overlap_sentences: number
}

export type ChunkOptions = { readonly language: string; readonly chunking: Chunking }

export const default_chunking: Chunking = {
  target_tokens: 320,
  max_tokens: 480,
  min_tokens: 64,
  overlap_tokens: 48,
  overlap_sentences: 2,
}

export const chunker_version = 'chunker@1'

export type Chunk = {
  readonly ordinal: number
  /** In code points of the canonical text. */
  readonly char_start: number
  readonly char_end: number
  readonly text: string
  readonly context: string
  /** The tokens of the text, counted sentence by sentence. */
  readonly token_count: number
  /** SHA-256 of context and text. */
  readonly content_hash: string
}

/** The parts of a chunk that the index and the profile read. */
export function indexedText({ context, text }: Pick<Chunk, 'context' | 'text'>): string {
  return context === '' ? text : `${context}\n\n${text}`
}
