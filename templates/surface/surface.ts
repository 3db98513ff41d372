/** The surface example. */
import { surface } from 'dodeca'

export const example = surface({
  name: 'example',
  migrations: new URL('./migrations/', import.meta.url),
  resources: [],
})
