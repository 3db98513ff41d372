/** The face for a surface of an application. */
import type { Caller } from '#dodeca/kernel'
import type { Deps } from './deps.ts'
import { problem } from './errors.ts'
import type { Face } from './face.ts'
import { notifyAll } from './intents/notify.ts'

export function faceFor(deps: Deps, caller: Caller): Face {
  const { people, categories } = deps
  return {
    notify: async (tx, notice) => {
      const { tenant_id, user_id, category, key } = notice
      if (categories.builtIn.get(category)?.class === 'security') {
        throw problem('unknown_category', {
          detail:
            'Messages of class security are the own ones of the platform. Declare a category.',
        })
      }
      const id = (await people.ownerOf(tx, tenant_id, user_id)) ?? user_id
      if (!(await people.membersOf(tx, tenant_id, [id])).has(id)) throw problem('user_not_found')
      await notifyAll(tx, deps, [{ ...notice, user_id: id, key: `${caller.name}:${key}` }])
    },
  }
}
