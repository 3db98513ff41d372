/** Tenants as units: export, import, move to another cell, delete. */
import { mkdir } from 'node:fs/promises'
import { resolve } from 'node:path'
import { openObjects } from '../kernel/objects/open-objects.ts'
import { StartError } from '#dodeca/kernel'
import { migrationSources } from '../runtime/start.ts'
import { deleteTenant } from '../runtime/tenants/delete.ts'
import { exportTenant } from '../runtime/tenants/export.ts'
import { mayHaveArrived, release, stateOf } from '../runtime/tenants/hold.ts'
import { importTenant } from '../runtime/tenants/import.ts'
import { moveTenant } from '../runtime/tenants/move.ts'
import {
  findTenant,
  indexDeletion,
  many,
  onPlace,
  peopleErasure,
  type Place,
} from '../runtime/tenants/place.ts'
import { tenancyOf, tenantTables } from '../runtime/tenants/tables.ts'
import type { Call, Command } from './command.ts'
import { onCurrentDatabase, type Offline } from './offline.ts'

export const tenantExport: Command = {
  words: 'tenant export',
  takes: ['<slug>', '<folder>'],
  summary: 'Copy all rows and objects of a tenant into a folder, while the platform goes on',
  more: [
    'Sealed values stay sealed: only a cell with the same keys can import the folder.',
    'The archive is the state of one moment; `tenant move` is the way without a loss.',
  ],
  run: async call => {
    const [slug = '', folder = ''] = call.args
    await onCurrentDatabase(call, async platform => {
      const { tables, objects } = await exportTenant(
        await placeOf(call, platform),
        slug,
        resolve(folder),
        call.terminal.progress,
      )
      await platform.audit({ action: 'kernel.tenants.export', target: slug })
      const rows = Object.values(tables).reduce((sum, one) => sum + one.rows, 0)
      const counts = { rows, objects: Object.keys(objects).length }
      call.terminal.answer({ tenant: slug, folder, ...counts }, [
        `Exported ${many(rows, 'row')} and ${many(counts.objects, 'object')} of ${slug} to ${folder}.`,
      ])
    })
  },
}

export const tenantImport: Command = {
  words: 'tenant import',
  takes: ['<folder>'],
  summary: 'Create a tenant from an exported folder, completely or not at all',
  run: async call => {
    const [folder = ''] = call.args
    await onCurrentDatabase(call, async platform => {
      const { tenant } = await importTenant(
        await placeOf(call, platform),
        resolve(folder),
        call.terminal.progress,
      )
      await platform.audit({ action: 'kernel.tenants.import', target: tenant.slug })
      call.terminal.answer(tenant, [`The tenant ${tenant.slug} was imported (${tenant.id}).`])
    })
  },
}

export const tenantMove: Command = {
  words: 'tenant move',
  takes: ['<slug>'],
  summary: 'Move a tenant to another cell, while all other tenants are served',
  options: {
    'to-database': { type: 'string', value: '<url>', says: 'The database of the other cell' },
    'to-data-dir': {
      type: 'string',
      value: '<folder>',
      says: 'DATA_DIR of the other cell; without it both cells use one S3 bucket',
    },
    'to-cell': { type: 'string', value: '<url>', says: 'Where the router reaches the other cell' },
  },
  more: [
    'Writes of the tenant are refused with 503 and Retry-After while it is copied. Its rows here ' +
      'are deleted once the other cell has them.',
    'If the command is interrupted, run it again: it finishes the move.',
  ],
  run: async call => {
    const [slug = ''] = call.args
    const [url, cell_url] = required(call, 'to-database', 'to-cell')
    await onCurrentDatabase(call, async platform => {
      const from = await placeOf(call, platform)
      const { config, platform: opened } = platform
      const data_dir = call.option('to-data-dir')
      if (from.objects.engine === 'local' && !data_dir) {
        throw new StartError('Objects are files here: --to-data-dir says where they go.')
      }
      const objects = data_dir
        ? openObjects(config.settings, resolve(data_dir), opened.kernel.fault)
        : from.objects
      const scratch = resolve(config.data_dir, 'moves')
      await mkdir(scratch, { recursive: true, mode: 0o700 })
      const move = { from, to: { ...from, url, objects }, cell_url, scratch }
      const receipt = await moveTenant(move, slug, call.terminal.progress)
      await platform.audit({ action: 'kernel.tenants.move', target: slug, reason: cell_url })
      const rows = Object.values(receipt.rows).reduce((sum, n) => sum + n, 0)
      call.terminal.answer({ tenant: slug, cell_url, rows, receipt }, [
        `${slug} is served by ${cell_url} now, and was deleted here (${many(rows, 'row')}).`,
      ])
    })
  },
}

export const tenantRelease: Command = {
  words: 'tenant release',
  takes: ['<slug>'],
  summary: 'Serve a tenant here again after a move or a deletion that froze it and did not end',
  options: {
    force: { type: 'boolean', says: 'Also if the other cell may have it: look there first' },
  },
  run: async call => {
    const [slug = ''] = call.args
    await onCurrentDatabase(call, async platform => {
      const place = await placeOf(call, platform)
      await onPlace(place, async client => {
        const { id } = await findTenant(client, slug)
        const state = await stateOf(client, id)
        if (!state) throw new StartError(`${slug} is served here. Nothing has frozen it.`)
        if (state.state === 'moved') {
          throw new StartError(`${slug} is served by another cell. Move it back.`)
        }
        if (state.deleting) {
          throw new StartError(
            `The deletion of ${slug} has begun. Finish it: \`npx dodeca tenant delete ${slug} --confirm=${slug}\`.`,
          )
        }
        if (mayHaveArrived(state.reason) && !call.flag('force')) {
          throw new StartError(
            `The other cell may have ${slug} already. Run the same \`dodeca tenant move\` again: it ` +
              'finishes the move. Only if the tenant is not there, release it here with --force.',
          )
        }
        await release(client, id, await tenantTables(client, place.schemas, place.tenancy))
      })
      await platform.audit({ action: 'kernel.tenants.release', target: slug })
      call.terminal.answer({ tenant: slug }, [`${slug} is served here again.`])
    })
  },
}

export const tenantDelete: Command = {
  words: 'tenant delete',
  takes: ['<slug>'],
  summary: 'Delete all rows and objects of a disabled or moved tenant, and print the receipt',
  options: {
    confirm: { type: 'string', value: '<slug>', says: 'The same name again: there is no way back' },
  },
  run: async call => {
    const [slug = ''] = call.args
    if (call.option('confirm') !== slug) {
      throw new StartError(`This cannot be undone. Repeat the name: --confirm=${slug}`)
    }
    await onCurrentDatabase(call, async platform => {
      const place = await placeOf(call, platform)
      const receipt = await deleteTenant(place, slug, call.terminal.progress)
      await platform.audit({ action: 'kernel.tenants.delete', target: slug })
      const rows = Object.values(receipt.rows).reduce((sum, n) => sum + n, 0)
      const kept = Object.entries(receipt.kept).map(
        ([table, one]) => `Kept ${many(one.rows, 'row')} of ${table}: ${one.reason}.`,
      )
      call.terminal.answer(receipt, [
        `Deleted ${many(rows, 'row')}, ${many(receipt.objects, 'object')} and ` +
          `${receipt.indexes} search ${receipt.indexes === 1 ? 'index' : 'indexes'} of ${slug}.`,
        ...(receipt.objects_kept > 0
          ? [
              `Kept ${many(receipt.objects_kept, 'object')}: another cell with the same bucket uses them.`,
            ]
          : []),
        ...(receipt.guests > 0
          ? [`Workers erase what ${many(receipt.guests, 'account')} of it left in other tenants.`]
          : []),
        ...kept,
        `Receipt ${receipt.sha256}, in kernel.tenant_states.`,
      ])
    })
  },
}

async function placeOf(call: Call, { ground, platform }: Offline): Promise<Place> {
  const composition = await call.composition()
  return {
    url: ground.direct_url,
    objects: platform.kernel.objects,
    schemas: migrationSources(composition).map(({ schema }) => schema),
    tenancy: tenancyOf(composition),
    interests: platform.events.interests,
    deleteIndexes: indexDeletion(platform.opened),
    erasePeople: peopleErasure(platform.kernel),
  }
}

/** Of these two options, or a sentence that names all that are missing. */
function required(call: Call, first: string, second: string): [string, string] {
  const values = [call.option(first) ?? '', call.option(second) ?? ''] as [string, string]
  const missing = [first, second].filter((_, at) => values[at] === '')
  if (missing.length === 0) return values
  const named = missing.map(name => `--${name}`).join(' and ')
  throw new StartError(`\`dodeca tenant move\` requires ${named}.`)
}
