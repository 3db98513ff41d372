/** What the use cases of chat share, and the faces that it stands on. */
import type { Reader } from '../../kernel/database/db.ts'
import type { Face as Identity } from '../identity/face.ts'
import type { Face as Messages } from '../notifications/face.ts'
import type { Face as Files } from '../uploads/face.ts'
import type { BodyCipher } from './messages/body-cipher.ts'
import type { Live } from './realtime/live.ts'
import type { Kernel } from './settings.ts'

/** Asked of the surface that knows who blocks whom. */
export type Blocks = {
  /** For each pair, whether either of the two blocks the other. */
  blockedPairs(
    reader: Reader,
    tenant_id: string,
    pairs: readonly (readonly [string, string])[],
  ): Promise<readonly boolean[]>
}

export type Needs = {
  readonly people: Pick<
    Identity,
    'membersOf' | 'realtimeToken' | 'verifyRealtime' | 'onSessionEnded' | 'sessionAlive'
  > & {
    readonly administration: Pick<Identity['administration'], 'tenants' | 'accounts'>
  }
  readonly files: Pick<Files, 'plugReaders' | 'prepareUpload' | 'createUpload' | 'remove'>
  readonly messages: Pick<Messages, 'notify' | 'registerDevice' | 'removeDestination'>
  /** Without it nobody is blocked. */
  readonly blocks?: Blocks
}

export type Deps = Needs & {
  readonly kernel: Kernel
  readonly cipher: BodyCipher
  readonly live: Live
}
