/** An additional view of an item above its fields, if the fields are not enough. */
import type { FunctionComponent } from 'preact'
import type { Row } from '../operation.ts'

export type PanelProps = {
  readonly row: Row
  /** The path parameters of the operation that reads the item. */
  readonly path: Readonly<Record<string, string>>
  /** The filters in the page's address. They select the shown part of the item. */
  readonly filters: Readonly<Record<string, string>>
}

export type Panel = FunctionComponent<PanelProps>
