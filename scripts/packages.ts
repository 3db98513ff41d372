/** The packages that `npm start` may install on some machine, as package-lock.json names them. */
import { readFile } from 'node:fs/promises'
import { resolve } from 'node:path'

export type Package = {
  /** The package itself, also where `overrides` put it in the place of another. */
  readonly name: string
  readonly version: string
  readonly license?: string
  readonly integrity?: string
  readonly optional: boolean
}

export type Lock = {
  readonly packages: Readonly<
    Record<
      string,
      Partial<Package> & {
        readonly dev?: boolean
        readonly link?: boolean
        readonly resolved?: string
        readonly dependencies?: Readonly<Record<string, string>>
        readonly optionalDependencies?: Readonly<Record<string, string>>
        readonly peerDependencies?: Readonly<Record<string, string>>
      }
    >
  >
}

export async function readLock(): Promise<Lock> {
  const file = resolve(import.meta.dirname, '..', 'package-lock.json')
  return JSON.parse(await readFile(file, 'utf8')) as Lock
}

/** Each package and version once, by name, also where several folders hold it. */
export function shippedPackages({ packages }: Lock): readonly Package[] {
  const shipped = Object.entries(packages)
    .filter(([path, { dev, link }]) => path.includes('node_modules/') && !dev && !link)
    .map(([path, { name, version = '', license, integrity, optional }]) => ({
      name: name ?? path.split('node_modules/').at(-1) ?? '',
      version,
      ...(license && { license }),
      ...(integrity && { integrity }),
      optional: optional === true,
    }))
  const copies = Map.groupBy(shipped, ({ name, version }) => `${name} ${version}`)
  return [...copies]
    .toSorted(([one], [other]) => (one < other ? -1 : 1))
    .flatMap(([, [first, ...more]]) =>
      first ? [{ ...first, optional: first.optional && more.every(one => one.optional) }] : [],
    )
}
