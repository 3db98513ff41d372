/** What the members of this folder's nouns are, for the published document. */
import { ofNoun, type Reference } from '#dodeca/kernel'

export const inventoryReference: Reference['members'] = {
  ...ofNoun('AdjustInventory', {
    reason: 'Why the number changes.',
  }),
  ...ofNoun('AdjustInventory', {
    note: 'Why, in your own words.',
  }),
}
