/**
 * Finds HTML that inserts data where escaping does not protect: in an attribute without quotes, a
 * URL without `safe_url`, or a script. It reads each character a few times at most: a template is
 * written by a tenant, and a plain expression such as /<[^>]*=/ needs the square of its length,
 * which is minutes for 250,000 times `<`.
 */
export type Fault = { readonly constraint: string; readonly says: string }

const rules: readonly (Fault & { readonly found: (html: string) => boolean })[] = [
  {
    constraint: 'no_script',
    found: html => /<\s*(script|iframe|object|embed|base|meta\s+http-equiv)\b/i.test(html),
    says: 'A mail runs no scripts and holds no frames: remove that element.',
  },
  {
    constraint: 'no_event_handler',
    found: html => tagsOf(html).some(tag => /\son[a-z]+\s*=/i.test(tag)),
    says: 'A mail runs no scripts: remove the on… attribute.',
  },
  {
    constraint: 'quoted_attribute',
    found: html => tagsOf(html).some(tag => /=\s*\{\{/.test(tag)),
    says: 'Write quotes around an attribute that holds data: title="{{ name }}".',
  },
  {
    constraint: 'safe_url',
    found: hasUnsafeUrl,
    says: 'An address that begins with data ends with the filter safe_url: href="{{ link | safe_url }}".',
  },
]

export function faultOf(html: string): Fault | null {
  return rules.find(({ found }) => found(html)) ?? null
}

/** What may be inside a tag: from the first `<` to the next `>`. */
function tagsOf(html: string): string[] {
  return html
    .split('>')
    .filter(part => part.includes('<'))
    .map(part => part.slice(part.indexOf('<')))
}

function hasUnsafeUrl(html: string): boolean {
  let end = -1
  for (const { index, 0: opening } of html.matchAll(/\b(?:href|src)\s*=\s*["']\s*\{\{/gi)) {
    const from = index + opening.length
    // Several addresses that are open at one `}}` share its verdict.
    if (from <= end) continue
    end = html.indexOf('}', from)
    if (end < 0 || !html.startsWith('}}', end)) return true
    if (!/\|\s*safe_url\s*$/.test(html.slice(from, end))) return true
  }
  return false
}
