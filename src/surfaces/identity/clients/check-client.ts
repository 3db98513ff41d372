/**
 * What a client may be, and who may say so. An administrator of a tenant must not get the rights of
 * its members by it: people are asked, unless an operator has said that the client is of the house.
 * All tenants share one issuer, so an API must be at an address that its tenant has proven.
 */
import { lacks, type Principal, type Reader } from '#dodeca/kernel'
import { ownsHost } from '../connections/owns-domain.ts'
import type { Deps } from '../deps.ts'
import { problem } from '../errors.ts'
import { operator_permission } from '../roles/built-in.ts'
import { default_tenant_id } from '../schemas.ts'
import { apiScopesOf, askableScopes, wordsOf, type ClientRow } from './client.ts'
import { isPlainName } from './plain-name.ts'
import { redirectFault } from './redirect-uris.ts'

type Needs = Pick<Deps, 'kernel' | 'permissions'>
export type Editor = {
  readonly principal: Principal
  readonly grants: () => Promise<ReadonlySet<string>>
}
type Wanted = Pick<ClientRow, 'name' | 'type' | 'redirect_uris' | 'scopes' | 'uri' | 'first_party'>

function invalid(detail: string) {
  return problem('client_invalid', { detail })
}

/** Nobody is asked about a client of the house, so only an operator says where it leads. */
export async function requireHouse(
  { first_party }: Pick<ClientRow, 'first_party'>,
  { grants }: Pick<Editor, 'grants'>,
): Promise<void> {
  if (first_party && !(await grants()).has(operator_permission)) throw lacks(operator_permission)
}

export async function checkClient(
  reader: Reader,
  deps: Needs,
  wanted: Wanted,
  editor: Editor,
): Promise<void> {
  await requireHouse(wanted, editor)
  const shown = [wanted.name, ...apiScopesOf(wanted).map(({ says }) => says)]
  if (!shown.every(isPlainName)) {
    throw invalid('People read `name` and `says`. Write them in plain letters, on one line.')
  }
  if (wanted.type === 'api') await checkApi(reader, deps, wanted, editor.principal)
  else checkApplication(deps, wanted, wanted.type)
}

function checkApplication(
  { kernel, permissions }: Needs,
  wanted: Wanted,
  type: 'web' | 'spa' | 'native',
): void {
  const { redirect_uris, uri } = wanted
  if (redirect_uris.length === 0) {
    throw invalid('Give `redirect_uris`: where people are led back with the code of a log-in.')
  }
  for (const one of redirect_uris) {
    const fault = redirectFault(one, type, kernel.profile)
    if (fault) throw invalid(`The redirect URI ${one} ${fault}.`)
  }
  if (uri !== null && URL.parse(uri)?.protocol !== 'https:') {
    throw invalid('`uri` is the page of the application, an https address.')
  }
  const known = new Set(askableScopes(permissions))
  const words = wordsOf(wanted)
  if (words.length < wanted.scopes.length) throw invalid('`scopes` are words. APIs define theirs.')
  const unknown = words.find(word => !known.has(word))
  if (unknown !== undefined) {
    throw invalid(
      `\`${unknown}\` is no scope that an application may ask for. Take words of OpenID, \`<surface>.read\`, \`<surface>.write\` or permissions outside of identity.`,
    )
  }
}

async function checkApi(
  reader: Reader,
  { kernel, permissions }: Needs,
  wanted: Wanted,
  { tenant_id }: Principal,
): Promise<void> {
  const { redirect_uris, uri } = wanted
  const url = URL.parse(uri ?? '')
  // One spelling, because a token is for exactly this text.
  const plain = url?.href === uri || url?.href === `${uri}/`
  if (!url || !plain || url.protocol !== 'https:' || url.search || url.hash || url.username) {
    throw invalid('Give the `uri` of the API: its https address, such as https://api.example.com.')
  }
  if (url.origin === URL.parse(kernel.public_url)?.origin) {
    throw invalid('The `uri` is at this platform, which checks its tokens itself.')
  }
  if (redirect_uris.length > 0) throw invalid('An API logs nobody in. Leave `redirect_uris` out.')
  const scopes = apiScopesOf(wanted)
  const names = new Set(scopes.map(({ name }) => name))
  const ours = new Set([...askableScopes(permissions), 'enrolment'])
  if (names.size < wanted.scopes.length || names.intersection(ours).size > 0) {
    throw invalid(
      'Each of `scopes` has a `name` of its own, which is none of this platform, and `says` what it allows.',
    )
  }
  const owned = tenant_id === default_tenant_id || (await ownsHost(reader, tenant_id, url.hostname))
  if (!owned) {
    throw invalid(
      `${url.hostname} is in no domain that your organization has proven. Prove one with \`POST /v1/organization/domains\`.`,
    )
  }
}
