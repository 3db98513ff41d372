/**
 * Prints a bill of materials of the packages that come with the platform, in the format of
 * CycloneDX 1.6. `npm sbom --omit dev` leaves out every package that a development tool needs too,
 * such as pg, and fails where the tools of the tests are not installed, so it is not used.
 */
import { readLock, shippedPackages, type Lock, type Package } from './packages.ts'

export function billOfMaterials(lock: Lock) {
  const { name = '', version = '', license } = lock.packages[''] ?? {}
  const itself = { type: 'application', 'bom-ref': purl({ name, version }), name, version }
  return {
    $schema: 'http://cyclonedx.org/schema/bom-1.6.schema.json',
    bomFormat: 'CycloneDX',
    specVersion: '1.6',
    version: 1,
    metadata: { component: { ...itself, licenses: licences(license) } },
    components: shippedPackages(lock).map(component),
  }
}

function component({ name, version, license, integrity, optional }: Package) {
  const [group, own] = name.startsWith('@') ? name.split('/') : [undefined, name]
  return {
    type: 'library',
    'bom-ref': purl({ name, version }),
    ...(group && { group }),
    name: own,
    version,
    scope: optional ? 'optional' : 'required',
    purl: purl({ name, version }),
    ...(integrity && { hashes: hashes(integrity) }),
    licenses: licences(license),
  }
}

const purl = ({ name, version }: Pick<Package, 'name' | 'version'>) =>
  `pkg:npm/${name.replace('@', '%40')}@${version}`

/** The lock file writes `sha512-<base64>`, possibly several; CycloneDX hexadecimal digits. */
const hashes = (integrity: string) =>
  integrity.split(' ').map(one => {
    const [algorithm = '', digest = ''] = one.split(/-(.*)/)
    return {
      alg: algorithm.toUpperCase().replace('SHA', 'SHA-'),
      content: Buffer.from(digest, 'base64').toString('hex'),
    }
  })

/** `BSD` is written by an old package and is no identifier of SPDX. */
function licences(license: string | undefined) {
  if (!license) return []
  if (license.includes(' ')) return [{ expression: license }]
  return [{ license: license === 'BSD' ? { name: license } : { id: license } }]
}

if (import.meta.main) {
  const bill = billOfMaterials(await readLock())
  console.log(JSON.stringify(bill, undefined, 2))
}
