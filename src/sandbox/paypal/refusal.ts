/** PayPal's refusals. */
import { newId } from '#dodeca/kernel'

export class Refused extends Error {
  override readonly name = 'Refused'
  readonly status: number
  readonly body: object
  constructor(status: number, name: string, details: readonly object[] = []) {
    super(name)
    this.status = status
    this.body = {
      name,
      message: 'The request was refused.',
      debug_id: newId().slice(0, 13),
      details,
    }
  }
}

export const issue = (code: string) =>
  new Refused(422, 'UNPROCESSABLE_ENTITY', [{ issue: code, description: code }])
export const missing = () =>
  new Refused(404, 'RESOURCE_NOT_FOUND', [{ issue: 'INVALID_RESOURCE_ID' }])
