/** The list of products is what buyers see, unless a state is chosen. */
import { titleOf } from '../language.ts'
import { addressOf, Link } from '../router.tsx'
import { may } from '../session.ts'
import type { PanelProps } from './panel.ts'

const says = { en: 'Only what is on sale is shown.', de: 'Nur was im Verkauf ist, wird gezeigt.' }
const drafts = { en: 'Show the drafts', de: 'Entwürfe zeigen' }

export function OnSale({ filters }: Pick<PanelProps, 'filters'>) {
  if (filters['state'] || !may('commerce.products.write')) return null
  return (
    <p class="soft">
      {titleOf(says)}{' '}
      <Link to={addressOf(['commerce', 'products'], { ...filters, state: 'draft' })}>
        {titleOf(drafts)}
      </Link>
    </p>
  )
}
