/**
 * Shows where a short link leads, for visitors who add a plus sign. This does not count as a click.
 */
import { markup } from '#dodeca/kernel'
import { pageOf, type Page } from './frame.ts'

const safety: Readonly<Record<string, string>> = {
  clean: 'Nothing is known against it',
  unscanned: 'Not checked yet',
  suspicious: 'Suspicious: look twice',
  malicious: 'Known to be harmful',
}

export type Preview = {
  readonly short_url: string
  readonly destination_url: string
  readonly created_at: string
  readonly safety_state: string
}

export function previewPage(link: Preview): Page {
  const harmful = link.safety_state === 'malicious'
  const doubtful = harmful || link.safety_state === 'suspicious'
  return pageOf(
    'Where this link leads',
    doubtful ? 'warning' : 'plain',
    markup`<dl>
<dt>Short link</dt><dd>${link.short_url}</dd>
<dt>Leads to</dt><dd><strong>${link.destination_url}</strong></dd>
<dt>Made on</dt><dd><time datetime="${link.created_at}">${link.created_at.slice(0, 10)}</time></dd>
<dt>Safety</dt><dd>${safety[link.safety_state] ?? link.safety_state}</dd>
</dl>
${
  !harmful &&
  markup`<p><a class="button" href="${link.short_url}" rel="noreferrer nofollow">Follow the
link</a></p>`
}`,
  )
}
