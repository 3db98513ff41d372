/**
 * The accepted media types, by category, and the first bytes that identify them. Part 1 is compared
 * with these bytes while it arrives. The inspector reads the whole file later. `any` accepts all of
 * them and unknown binary types, but never programs.
 */

export const categories = ['image', 'video', 'audio', 'document', 'text', 'archive', 'any'] as const
export type Category = (typeof categories)[number]
type Known = Exclude<Category, 'any'>

const types: Readonly<Record<Known, readonly string[]>> = {
  image: ['image/jpeg', 'image/png', 'image/webp', 'image/gif', 'image/avif'],
  video: ['video/mp4', 'video/webm', 'video/quicktime'],
  audio: ['audio/mpeg', 'audio/mp4', 'audio/ogg', 'audio/wav', 'audio/flac'],
  document: [
    'application/pdf',
    'application/vnd.openxmlformats-officedocument.wordprocessingml.document',
    'application/vnd.openxmlformats-officedocument.spreadsheetml.sheet',
    'application/vnd.openxmlformats-officedocument.presentationml.presentation',
    'application/vnd.oasis.opendocument.text',
    'application/vnd.oasis.opendocument.spreadsheet',
    'application/vnd.oasis.opendocument.presentation',
  ],
  text: [
    'text/plain',
    'text/markdown',
    'text/csv',
    'application/json',
    'text/html',
    'application/xml',
  ],
  archive: ['application/zip', 'application/x-tar', 'application/gzip'],
}
const categoryOfType = new Map(
  (Object.entries(types) as [Known, readonly string[]][]).flatMap(([category, all]) =>
    all.map(type => [type, category] as const),
  ),
)
const aliases: Readonly<Record<string, string>> = {
  'audio/x-wav': 'audio/wav',
  'audio/vnd.wave': 'audio/wav',
  'audio/wave': 'audio/wav',
  'audio/x-flac': 'audio/flac',
  'audio/x-m4a': 'audio/mp4',
  'audio/mp3': 'audio/mpeg',
  'audio/opus': 'audio/ogg',
  'video/ogg': 'audio/ogg',
  'application/ogg': 'audio/ogg',
  'video/x-m4v': 'video/mp4',
  'image/jpg': 'image/jpeg',
  'text/xml': 'application/xml',
  'application/x-gzip': 'application/gzip',
  'application/x-zip-compressed': 'application/zip',
}
/** Types that a browser may show inside a page of this origin, because they run nothing. */
const inline = new Set([...types.image, 'video/mp4', 'video/webm', 'audio/mpeg', 'text/plain'])

export function normalType(type: string): string {
  const bare = type.split(';', 1)[0]?.trim().toLowerCase() ?? ''
  return aliases[bare] ?? bare
}

export function categoryOf(type: string): Known | undefined {
  return categoryOfType.get(type)
}

export function mayBeInline(type: string | null): boolean {
  return type !== null && inline.has(type)
}

/** These are served with their own type. Everything else is served as bytes. */
export function servedType(type: string | null): string {
  if (type === null || type === 'text/html' || type === 'application/xml') {
    return 'application/octet-stream'
  }
  return categoryOfType.has(type) ? type : 'application/octet-stream'
}

/** File names that a desktop runs when they are opened, whatever their bytes are. */
const program_names =
  /\.(exe|com|bat|cmd|scr|pif|msi|msp|lnk|hta|cpl|vb|vbs|vbe|jse|wsf|wsh|ps1|reg)[. ]*$/i

export function isProgramName(filename: string): boolean {
  return program_names.test(filename)
}

const extensions: readonly (readonly [Known, RegExp])[] = [
  ['image', /\.(jpe?g|png|gif|webp|avif)$/i],
  ['video', /\.(mp4|m4v|webm|mov)$/i],
  ['audio', /\.(mp3|m4a|ogg|oga|opus|wav|flac)$/i],
  ['document', /\.(pdf|docx|xlsx|pptx|odt|ods|odp)$/i],
  ['archive', /\.(zip|tar|gz|tgz)$/i],
]

/**
 * Returns whether the name's extension means another kind of content than the bytes. Other
 * extensions are not compared.
 */
export function nameFits(filename: string | null, detected_type: string): boolean {
  const promised = extensions.find(([, ending]) => ending.test(filename ?? ''))?.[0]
  const found = categoryOf(detected_type)
  if (promised === undefined || promised === found) return true
  // Audio and video share containers. Some programs write documents without the part that
  // distinguishes them from a zip.
  if (promised === 'document') return detected_type === 'application/zip'
  return (promised === 'video' && found === 'audio') || (promised === 'audio' && found === 'video')
}

/** "MZ". A text may begin with these letters; a program has bytes that no text has. */
const windows_program = '4d5a'
const executables: readonly (readonly [string, number])[] = [
  ['7f454c46', 0], // ELF
  ['feedface', 0],
  ['feedfacf', 0],
  ['cefaedfe', 0],
  ['cffaedfe', 0], // Mach-O
  ['cafebabe', 0], // class, universal Mach-O
  ['0061736d', 0], // wasm
  ['4c0000000114020000000000c000000000000046', 0], // lnk
]
/** Refused as files, but not in archives: sources have scripts, and Windows adds a Thumbs.db. */
const programs: readonly (readonly [string, number])[] = [
  ...executables,
  ['2321', 0], // #!
  ['d0cf11e0a1b11ae1', 0], // OLE: msi, and documents that carry macros
]
const signatures: readonly (readonly [string, string, number])[] = [
  ['image/jpeg', 'ffd8ff', 0],
  ['image/png', '89504e470d0a1a0a', 0],
  ['image/gif', '474946383761', 0],
  ['image/gif', '474946383961', 0],
  ['image/webp', '57454250', 8],
  ['audio/wav', '57415645', 8],
  ['image/avif', '6674797061766966', 4],
  ['video/quicktime', '6674797071742020', 4],
  ['audio/mp4', '667479704d344120', 4],
  ['video/mp4', '66747970', 4],
  ['video/webm', '1a45dfa3', 0],
  ['audio/ogg', '4f676753', 0],
  ['audio/flac', '664c6143', 0],
  ['audio/mpeg', '494433', 0],
  ['application/pdf', '255044462d', 0],
  ['application/zip', '504b0304', 0],
  ['application/zip', '504b0506', 0],
  ['application/gzip', '1f8b', 0],
  ['application/x-tar', '7573746172', 257],
]

const starts = (head: Buffer, hex: string, offset: number): boolean => {
  const wanted = Buffer.from(hex, 'hex')
  return head.subarray(offset, offset + wanted.length).equals(wanted)
}

export function isProgram(head: Buffer, is_text = !head.includes(0)): boolean {
  return isOneOf(programs, head, is_text)
}

/** For the content of an archive. */
export function isExecutable(head: Buffer): boolean {
  return isOneOf(executables, head, !head.includes(0))
}

function isOneOf(signed: typeof programs, head: Buffer, is_text: boolean): boolean {
  if (!is_text && starts(head, windows_program, 0)) return true
  return signed.some(([hex, offset]) => starts(head, hex, offset))
}

function typeOfHead(head: Buffer): string | null {
  return signatures.find(([, hex, offset]) => starts(head, hex, offset))?.[0] ?? null
}

/** Returns whether a file with these first bytes can still belong to the category. */
export function headFits(head: Buffer, category: Category): boolean {
  if (isProgram(head)) return false
  if (category === 'any') return true
  const type = typeOfHead(head)
  if (type === null) return category === 'text' || category === 'audio' || category === 'archive'
  // Office documents are zip files.
  if (type === 'application/zip' && category === 'document') return true
  return categoryOf(type) === category || (category === 'audio' && type === 'video/mp4')
}
