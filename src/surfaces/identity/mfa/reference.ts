/** What the members of this folder's nouns are, for the published document. */
import { ofNoun, type Reference } from '#dodeca/kernel'

export const mfaReference: Reference['members'] = {
  ...ofNoun('FactorReset RequestFactorResetBody', {
    reason: 'Why the factors have to go, in the words of the administrator.',
  }),
  ...ofNoun('FactorReset', {
    account_id: 'The account that loses its second factors.',
    requested_by: 'The administrator who asked for it.',
    state:
      '`waiting` for its time; `done`; `stopped` by its owner; `withdrawn`; `lapsed`, if the right is gone.',
    effective_at: 'When the factors are removed, unless it is stopped before.',
    ended_at: 'When it was done or stopped.',
  }),
  ...ofNoun('StopFactorResetBody', {
    token: 'The token of the mail that announced the reset.',
  }),
  ...ofNoun('MfaChallenge MfaChallengeStatus', {
    status: '`open` until it is verified, has expired, or was tried too often.',
    type: 'The kind of factor that is asked for.',
    purpose: '`login` ends a log-in; `step_up` raises the assurance of a session.',
    expires_at: 'Until then the challenge can be verified.',
  }),
  ...ofNoun('MfaChallenge', {
    challenge_id: 'The same id, for the path.',
    public_key: 'For a passkey or key: the options for `navigator.credentials.get`.',
  }),
  ...ofNoun('CreateMfaChallengeBody', {
    method_id: 'The second factor to use. Without it, one is chosen.',
    purpose: 'What the challenge is for.',
  }),
  ...ofNoun('VerifyMfaChallengeBody', {
    code: 'The six digits of the authenticator app.',
    recovery_code: 'A recovery code, instead of the second factor. It works once.',
    assertion: 'What `navigator.credentials.get` returned, as JSON.',
    'assertion.id': 'The id of the passkey or key, in base64url.',
    'assertion.rawId': 'The same id, as browsers send it.',
    'assertion.type': 'The kind of credential.',
    'assertion.authenticatorAttachment': 'Whether the key is of this device or of another one.',
    'assertion.clientExtensionResults': 'Results of extensions. They are not used.',
    'assertion.response': 'The answer of the authenticator.',
    'response.clientDataJSON':
      'What the browser has signed: the challenge and the origin of the page.',
    'response.authenticatorData': 'What the authenticator says of itself.',
    'response.signature': 'The signature over both.',
    'response.userHandle': 'The account of the key.',
    device_name: 'A name for the device, as the person will see it in the list of sessions.',
    delivery: '`cookie` keeps the tokens from the scripts of the page; `token` returns them.',
  }),
  ...ofNoun('MfaMethod', {
    type: '`totp` is an authenticator app, `webauthn` a security key, `passkey` a passkey.',
    label: 'The name that the person gave it.',
    status: 'A `pending` method does not count until it is activated.',
    last_used_at: 'When it was last used to log in; null if never.',
  }),
  ...ofNoun('MfaEnrolment', {
    status: 'It does not count until it is activated.',
    type: 'The kind of factor.',
    label: 'The name that the person gave it.',
    secret: 'For an authenticator app: the secret. It is shown only here.',
    otpauth_uri: 'The same as an address, for a QR code.',
    public_key: 'For a passkey or key: the options for `navigator.credentials.create`.',
  }),
  ...ofNoun('EnrolMfaMethodBody', {
    type: 'The kind of factor to add.',
    label: 'A name by which the person recognizes it.',
  }),
  ...ofNoun('MfaActivated', {
    status: 'The factor counts from now on.',
    session: "The full session that has begun, if the caller's had the scope `enrolment`.",
  }),
  ...ofNoun('ActivateMfaMethodBody', {
    code: 'The six digits of the authenticator app.',
    attestation: 'What `navigator.credentials.create` returned, as JSON.',
    'attestation.id': 'The id of the new passkey or key, in base64url.',
    'attestation.rawId': 'The same id, as browsers send it.',
    'attestation.type': 'The kind of credential.',
    'attestation.authenticatorAttachment': 'Whether the key is of this device or of another one.',
    'attestation.clientExtensionResults': 'Results of extensions. They are not used.',
    'attestation.response': 'The answer of the authenticator.',
    'response.clientDataJSON':
      'What the browser has signed: the challenge and the origin of the page.',
    'response.authenticatorData': 'What the authenticator says of itself.',
    'response.attestationObject': 'The new public key, with what the authenticator says of itself.',
    'response.transports': 'How the browser reaches the key, such as `usb` or `internal`.',
    'response.publicKey': 'The public key, as some browsers add it.',
    'response.publicKeyAlgorithm': 'The number of its algorithm, as some browsers add it.',
    delivery: 'How the full session is given, if one begins: in cookies, or as tokens.',
  }),
  ...ofNoun('PasskeyOptions', {
    public_key: 'The options for `navigator.credentials.get`.',
    'public_key.challenge': 'What the passkey signs. It works once.',
    'public_key.timeout': 'Milliseconds for which the browser asks.',
    'public_key.rpId': 'The domain for which the passkeys are.',
    'public_key.userVerification': 'The device has to check the person, by a finger or a PIN.',
  }),
}
