/** The face for a surface of an application: it reaches files of the purposes that it declares. */
import type { Caller, Reader } from '#dodeca/kernel'
import type { Deps } from './deps.ts'
import { problem } from './errors.ts'
import type { Face, FileKey, Inside, Purpose } from './face.ts'
import { urlOf } from './files/download-url.ts'
import { findFile } from './files/file-row.ts'

export function faceFor(deps: Deps, inside: Inside, caller: Caller): Face {
  const own = (purpose: Purpose): Purpose => {
    if (Object.hasOwn(caller.purposes ?? {}, purpose)) return purpose
    throw new Error(`${caller.name} does not declare the purpose ${purpose}`)
  }
  const find = async (reader: Reader, { tenant_id, file_id }: FileKey) => {
    const file = await findFile(reader, tenant_id, file_id)
    const found = file && Object.hasOwn(caller.purposes ?? {}, file.purpose)
    return found && file.state === 'available' ? file : undefined
  }
  return {
    plugReaders: (purpose, mayRead) => inside.plugReaders(own(purpose), mayRead),
    plugCompleted: (purpose, run) => inside.plugCompleted(own(purpose), run),
    requireAvailable: (tx, principal, file_id, purposes) =>
      inside.requireAvailable(tx, principal, file_id, purposes.map(own)),
    prepareUpload: async (who, order) =>
      await inside.prepareUpload(who, { ...order, purpose: own(order.purpose) }),
    createUpload: async (tx, who, order, prepared) =>
      await inside.createUpload(tx, who, { ...order, purpose: own(order.purpose) }, prepared),
    signDownload: async (reader, key, asked = {}) => {
      const file = await find(reader, key)
      if (!file) throw problem('file_not_found')
      return await urlOf(reader, deps, { ...file, by: 'surface' }, asked)
    },
    read: async (key, range) =>
      (await find(deps.kernel.db, key)) && (await inside.read(key, range)),
    remove: async (tx, key) => {
      if (!(await find(tx, key))) throw problem('file_not_found')
      await inside.remove(tx, key)
    },
  }
}
