/**
 * A surface that is made of resources and workflows. Their permissions, settings, refusals, events, routes, needs
 * and personal data join what the surface declares itself.
 */
import type { FacesOf } from '../faces.ts'
import type { KernelOf, Opened, Surface } from '../surface.ts'
import type { SettingTable } from '../settings.ts'
import { personalRows, type PersonalRows } from '../work/personal-rows.ts'
import type { Resource } from './resource.ts'

type Parts<Face, Needs, Own extends SettingTable> = Pick<
  Surface<Face, FacesOf<Needs>, Own>,
  'name' | 'migrations'
> &
  Partial<Omit<Surface<Face, FacesOf<Needs>, Own>, 'open' | 'needs'>> & {
    readonly needs?: Needs
    readonly resources?: readonly Resource<
      { readonly kernel: KernelOf<NoInfer<Own>> } & FacesOf<NoInfer<Needs>>
    >[]
    /** The rows of a person in the surface's other tables. */
    readonly personal?: readonly PersonalRows[]
    open?(kernel: KernelOf<Own>, needs: FacesOf<Needs>): Partial<Omit<Opened<Face>, 'personal'>>
  }

export function surface<
  Face = unknown,
  const Needs extends Readonly<Record<string, string>> = Record<never, never>,
  Own extends SettingTable = Record<never, never>,
>(spec: Parts<Face, Needs, Own>): Surface<Face, FacesOf<Needs>, Own> {
  const { resources = [], personal = [], open, ...own } = spec
  const joined = <K extends 'permissions' | 'settings' | 'errors' | 'events'>(name: K) =>
    Object.assign({}, ...resources.map(one => one[name]), own[name]) as Surface<
      Face,
      FacesOf<Needs>,
      Own
    >[K]
  // Not by its type, which has one name for each need of the surface's own.
  const declared = {
    needs: Object.assign(
      {},
      ...[...resources, ...(own.workflows ?? [])].map(one => one.needs),
      own.needs,
    ) as object,
  }
  const made: Omit<Surface<Face, FacesOf<Needs>, Own>, 'needs'> = {
    ...own,
    ...declared,
    permissions: joined('permissions'),
    settings: joined('settings'),
    errors: joined('errors'),
    events: joined('events'),
    open: (kernel, given) => {
      const opened = open?.(kernel, given) ?? {}
      const deps = { kernel, ...given }
      const rows = [...resources.flatMap(one => one.personal), ...personal]
      return {
        ...opened,
        face: opened.face ?? ({} as Face),
        routes: [...resources.flatMap(one => one.routes(deps)), ...(opened.routes ?? [])],
        retention: [...resources.map(one => one.retention(kernel)), ...(opened.retention ?? [])],
        personal: personalRows(kernel.db, rows),
      }
    },
  }
  return made
}
