/**
 * The providers of the sandbox. Development offers them while the settings name none, so that a
 * log-in with each of them can be tried without an account anywhere.
 */
import { readFile } from 'node:fs/promises'
import { openOutsideWorld, type Deployment } from '#dodeca/kernel'
import type { Party } from '../oidc/party.ts'
import { complete, openParty, type Wanted } from './complete.ts'
import { preset_names, presets, type PresetName } from './presets.ts'

type Where = Pick<Deployment, 'profile'> & {
  readonly data_dir: string
  readonly settings: { readonly 'identity.oidc_providers': string | null }
}

export type Played = {
  readonly issuers: readonly string[]
  /** Empty while no sandbox runs. */
  names(): Promise<readonly PresetName[]>
  party(name: string): Promise<Party | undefined>
}

export function openPlayed({ profile, data_dir, settings }: Where): Played {
  const offered = profile === 'development' && !settings['identity.oidc_providers']?.trim()
  const outside = openOutsideWorld(data_dir)
  const open = new Map<string, { readonly base: string; readonly party: Party }>()
  const vendor = async () => (offered ? (await outside.addresses())?.['sign_in'] : undefined)
  return {
    issuers: offered ? preset_names.map(issuerThere) : [],
    names: async () => ((await vendor()) ? preset_names : []),
    party: async name => {
      const preset = preset_names.find(one => one === name)
      const found = preset && (await vendor())
      if (!found) return undefined
      const base = found[preset] ?? ''
      const known = open.get(preset)
      if (known?.base === base) return known.party
      const party = openParty(complete(await wantedOf(preset, base, found), profile), profile)
      open.set(preset, { base, party: { ...party, name } })
      return { ...party, name }
    },
  }
}

function issuerThere(name: PresetName): string {
  return `connection:sandbox-${name}`
}

async function wantedOf(
  name: PresetName,
  base: string,
  found: Readonly<Record<string, string>>,
): Promise<Wanted> {
  const preset = presets[name]
  const key_file = found['apple_key'] ?? ''
  const is_apple = name === 'apple'
  return {
    id: `sandbox-${name}`,
    kind: preset.kind,
    preset: name,
    client_id: found['client_id'] ?? '',
    apple: is_apple
      ? { team_id: found['apple_team_id'] ?? '', key_id: found['apple_key_id'] ?? '' }
      : null,
    secret: is_apple ? await readFile(key_file, 'utf8') : (found['client_secret'] ?? ''),
    issuer: preset.kind === 'oidc' ? base : null,
    endpoints: preset.kind === 'oidc' ? null : movedTo(base, preset.endpoints),
    fields: null,
    scopes: null,
    trust_email: true,
  }
}

/** The sandbox has the same paths below an address of each provider. */
export function movedTo<T extends object>(base: string, endpoints: T): T {
  const moved = Object.entries(endpoints as Record<string, string>).map(([name, address]) => {
    const { pathname, search } = new URL(address)
    return [name, base + pathname + search]
  })
  return Object.fromEntries(moved) as T
}
