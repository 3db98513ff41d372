/** The words of the account pages in German. */
import type { Words } from './words-en.ts'

export const de: Words = {
  name: 'Deutsch',
  error: 'Fehler',
  home: 'Ihr Konto',
  home_says:
    'Hier sehen Sie, wo Sie angemeldet sind, beenden, was Sie nicht kennen, und verwalten Passkeys und zweite Faktoren.',
  log_in: 'Anmelden',
  register: 'Registrieren',
  continue: 'Weiter',
  email: 'Mailadresse',
  password: 'Passwort',
  new_password: 'Neues Passwort',
  password_hint:
    'Mindestens 12 Zeichen. Gut sind mehrere Wörter, die nichts miteinander zu tun haben.',
  code: 'Code',
  code_hint:
    'Die 6 Ziffern, die Ihre Authenticator-App gerade anzeigt, oder einer Ihrer Wiederherstellungscodes.',
  device: 'Authenticator',
  with_provider: 'Weiter mit {name}',
  with_passkey: 'Mit einem Passkey fortfahren',
  with_code: 'Code per Mail senden',
  code_title: 'Mit einem Code anmelden',
  code_says: 'Sie erhalten per Mail einen Code zum Anmelden.',
  code_sent:
    'Wenn Sie sich mit dieser Adresse anmelden können, ist eine Mail mit einem Code unterwegs. Geben Sie den Code hier ein, oder öffnen Sie den Link der Mail in diesem Browser.',
  login_code_hint: 'Die 8 Ziffern in der Mail.',
  login_code_wrong:
    'Der Code ist falsch, wurde schon verwendet oder ist abgelaufen. Prüfen Sie ihn, oder fordern Sie einen neuen an.',
  another_code: 'Einen neuen Code anfordern',
  other_browser:
    'Öffnen Sie diesen Link in dem Browser, in dem Sie den Code angefordert haben, oder geben Sie den Code dort ein. Wenn Sie keinen angefordert haben, schließen Sie diese Seite.',
  passkey: 'Passkey',
  passkeys: 'Passkeys',
  no_passkey:
    'Mit einem Passkey melden Sie sich mit Fingerabdruck, Gesicht oder dem Code Ihres Geräts an.',
  add_passkey: 'Passkey hinzufügen',
  passkey_says:
    'Ein Passkey meldet Sie ohne Passwort an und gilt auch als zweiter Faktor. Ihr Gerät, Ihr Passwortmanager oder ein Sicherheitsschlüssel bewahrt ihn auf.',
  passkey_name: 'Name, an dem Sie ihn erkennen',
  create_says: 'Ihr Browser fragt, wo der Passkey liegen soll, und ob Sie es sind.',
  create_passkey: 'Passkey erstellen',
  captcha_wait: 'Ihr Browser löst eine kleine Aufgabe, die Roboter bremst. Einen Moment …',
  captcha_failed:
    'Ihr Browser kann die Aufgabe nicht lösen. Nehmen Sie einen neueren Browser, und öffnen Sie diese Seite mit https.',
  captcha_script:
    'Dieses Formular braucht ein Skript gegen Roboter. Erlauben Sie Skripte auf dieser Seite.',
  needs_script:
    'Passkeys brauchen ein Skript und einen neueren Browser. Erlauben Sie Skripte auf dieser Seite.',
  key_failed:
    'Der Browser hat keinen Schlüssel verwendet. Versuchen Sie es noch einmal, oder wählen Sie einen anderen Weg.',
  key_refused:
    'Der Passkey wurde nicht angenommen. Versuchen Sie es noch einmal, oder wählen Sie einen anderen Weg.',
  use_key: '{name} verwenden',
  provider_failed:
    'Die Anmeldung beim Anbieter führte zu keinem Konto. Melden Sie sich mit Ihrem Passwort an, oder versuchen Sie es noch einmal.',
  provider_proof:
    'Ihre Organisation hat nicht nachgewiesen, dass ihr die Domain Ihrer Mailadresse gehört. Deshalb haben wir Ihnen einen Code geschickt. Geben Sie ihn ein, um sich anzumelden.',
  must_enrol:
    'Ihre Organisation verlangt einen zweiten Faktor. Fügen Sie einen hinzu, um fortzufahren: eine Authenticator-App oder einen Passkey.',
  as_administrator: 'Auf anderem Weg anmelden, als Administrator',
  no_account: 'Sie haben noch kein Konto?',
  have_account: 'Sie haben schon ein Konto?',
  forgot: 'Passwort vergessen?',
  second_factor: 'Zweiter Faktor',
  only_keys:
    'Verwenden Sie Ihren Passkey oder Sicherheitsschlüssel, oder geben Sie einen Wiederherstellungscode ein.',
  mail_sent: 'Sehen Sie in Ihr Postfach',
  registered:
    'Eine Mail an diese Adresse ist unterwegs. Öffnen Sie ihren Link in diesem Browser, um die Adresse zu bestätigen.',
  registered_at_once:
    'Sie können sich schon anmelden; bestätigen Sie die Adresse, damit sie Ihnen gehört.',
  send_again: 'Mail erneut senden',
  sent_again: 'Wenn eine Bestätigung dieser Adresse aussteht, ist eine weitere Mail unterwegs.',
  verify: 'Adresse bestätigen',
  verify_says: 'Bestätigen Sie mit der Schaltfläche, dass dieses Postfach Ihnen gehört.',
  verify_password: 'Das Passwort, das Sie bei der Registrierung gewählt haben',
  verify_wrong:
    'Das ist nicht das Passwort der Registrierung. Geben Sie das ein, das Sie bei der Registrierung mit dieser Adresse gewählt haben.',
  confirm: 'Bestätigen',
  change: 'Neue Adresse bestätigen',
  change_says:
    'Jemand möchte dieses Postfach für ein Konto verwenden. Bestätigen Sie es, wenn es Ihr Konto ist; Sie müssen dort angemeldet sein.',
  refuse: 'Das war ich nicht: ablehnen',
  refused: 'Die Adresse wurde abgelehnt',
  refused_says: 'Das Konto behält seine bisherige Adresse, und dieser Link gilt nicht mehr.',
  changed: 'Ihr Konto verwendet jetzt die neue Adresse.',
  dead_link: 'Der Link gilt nicht mehr',
  dead_link_says: 'Er ist abgelaufen, wurde verwendet oder durch eine andere Mail ersetzt.',
  dead_reset_says:
    'Er ist abgelaufen, wurde verwendet, oder das Entfernen wurde anders angehalten.',
  keep_factors: 'Meine zweiten Faktoren behalten',
  keep_factors_says:
    'Einem Administrator wurde gesagt, dass Sie Ihre zweiten Faktoren verloren haben. Drücken Sie den Knopf, um sie zu behalten.',
  factors_kept: 'Ihre zweiten Faktoren bleiben',
  factors_kept_says:
    'Das Entfernen ist angehalten. Wenn Sie es nicht wollten, ändern Sie Ihr Passwort und informieren Sie Ihren Administrator.',
  forgot_title: 'Neues Passwort setzen',
  forgot_says: 'Geben Sie die Adresse Ihres Kontos ein. Sie erhalten eine Mail mit einem Link.',
  forgot_sent: 'Wenn es ein Konto mit dieser Adresse gibt, ist eine Mail mit einem Link unterwegs.',
  send: 'Mail senden',
  reset: 'Neues Passwort wählen',
  invite: 'Einladung annehmen',
  invite_says: 'Wählen Sie ein Passwort für Ihr neues Konto.',
  set_password: 'Passwort setzen',
  log_out: 'Abmelden',
  sessions: 'Wo Sie angemeldet sind',
  this_one: 'dieser Browser',
  unknown_device: 'Unbekanntes Gerät',
  last_seen: 'zuletzt verwendet',
  end: 'Beenden',
  end_others: 'Alle anderen Sitzungen beenden',
  roles: 'Rollen',
  needs_factor:
    'Ihre Rollen gelten nur in einer Sitzung mit zweitem Faktor. Fügen Sie einen hinzu und bestätigen Sie dann diese Sitzung mit einem Code.',
  needs_confirmation:
    'Ihre Rollen gelten nur in einer Sitzung mit zweitem Faktor. Bestätigen Sie diese Sitzung mit einem Code.',
  confirm_session: 'Diese Sitzung mit einem Code bestätigen',
  no_factor: 'Ohne zweiten Faktor öffnet Ihr Passwort oder Ihr Postfach allein Ihr Konto.',
  add_totp: 'Authenticator-App hinzufügen',
  remove: 'Entfernen',
  totp_says:
    'Eine Authenticator-App auf Ihrem Telefon zeigt alle 30 Sekunden einen neuen Code. Sie geben ihn nach dem Passwort ein.',
  totp_scan:
    'Scannen Sie diesen Code mit der App, oder tippen Sie den Schlüssel ein. Geben Sie dann den angezeigten Code ein.',
  totp_qr: 'QR-Code mit dem Schlüssel für die Authenticator-App',
  totp_key: 'Schlüssel',
  totp_again:
    'Die App hat den Schlüssel schon. Geben Sie den Code ein, den sie jetzt anzeigt, oder beginnen Sie neu.',
  begin_again: 'Neu beginnen',
  activate: 'Aktivieren',
  codes: 'Ihre Wiederherstellungscodes',
  codes_says:
    'Jeder Code ersetzt Ihren Authenticator einmal. Bewahren Sie sie dort auf, wo nur Sie sie finden: Sie werden nicht noch einmal angezeigt.',
  new_codes: 'Neue Wiederherstellungscodes erstellen',
  new_codes_says: 'Die früheren Codes gelten dann nicht mehr.',
  step_up: 'Bestätigen Sie, dass Sie es sind',
  step_up_says: 'Geben Sie einen Code ein, bevor Sie ändern, wie Sie sich anmelden.',
  to_account: 'Zu Ihrem Konto',
  profile: 'Ihr Profil',
  no_profile: 'Ihre Organisation hat keine Felder für Profile.',
  save: 'Speichern',
  none: 'Keine Angabe',
  organizations: 'Ihre Organisationen',
  home_organization: 'hier ist Ihr Konto zu Hause',
  works_here: 'Sie arbeiten hier',
  turn: 'Hier arbeiten',
  leave: 'Verlassen',
  invitations: 'Einladungen',
  no_invitations: 'Keine Organisation hat Sie eingeladen.',
  prove_first: 'Bestätigen Sie Ihre Adresse, um Einladungen an sie zu sehen.',
  accept: 'Annehmen',
  decline: 'Ablehnen',
  make_organization: 'Organisation anlegen',
  organization_name: 'Name',
  organization_slug: 'Kurzname',
  slug_hint: '3 bis 40 Kleinbuchstaben, Ziffern und Bindestriche. Er lässt sich nicht ändern.',
  applications: 'Anwendungen',
  allow_title: '{name} erlauben?',
  allow_says: '{name} möchte Ihr Konto verwenden.',
  allow_document: 'Es ist die Anwendung von {host}. Niemand hier hat sie geprüft.',
  allow_page: 'Ihre Seite: {page}',
  allow_as: 'Sie sind angemeldet als {email}.',
  allow_site: 'Sie führt Sie zurück zu {host}.',
  allow_device:
    'Sie führt Sie zurück zu einem Programm auf diesem Gerät ({name}). Erlauben Sie es nur, wenn Sie dort gerade damit begonnen haben.',
  allow_where: 'Organisation, in der sie arbeitet',
  allow_list: 'Sie darf:',
  allow: 'Erlauben',
  do_not_allow: 'Ablehnen',
  no_request: 'Diese Anfrage lässt sich nicht beantworten',
  unknown_client:
    'Die Anwendung, die Sie hierher geführt hat, ist nicht bekannt. Gehen Sie zu ihr zurück und informieren Sie ihren Betreiber.',
  unknown_redirect:
    'Die Anwendung will Sie zu einer Adresse führen, die nicht ihr gehört. Gehen Sie zu ihr zurück und informieren Sie ihren Betreiber.',
  unknown_request:
    'Die Anfrage der Anwendung ist zu lang oder nennt etwas zweimal. Gehen Sie zu ihr zurück und informieren Sie ihren Betreiber.',
  may_read: 'Ansehen: {what}',
  may_write: 'Ansehen und ändern: {what}',
  scopes: {
    openid: 'Wissen, dass Sie es sind',
    profile: 'Ihren Namen und Ihre Sprache sehen',
    email: 'Ihre Mailadresse sehen',
    offline_access: 'Verbunden bleiben, auch wenn Sie nicht da sind, bis Sie es beenden',
  },
  surfaces: {
    chat: 'Ihre Unterhaltungen',
    commerce: 'Ihre Warenkörbe und Bestellungen',
    inference: 'Ihre Anfragen an Sprachmodelle',
    jobs: 'Ihre Aufträge und Zeitpläne',
    links: 'Ihre Kurzlinks',
    notifications: 'Ihre Benachrichtigungen',
    payments: 'Ihre Zahlungen',
    retrieval: 'Ihre Dokumente und Suchen',
    social: 'Ihr Profil, Ihre Beiträge und Kontakte',
    uploads: 'Ihre Dateien',
    webhooks: 'Ihre Webhooks',
  },
  done: {
    saved: 'Ihr Profil ist gespeichert.',
    narrow:
      'Sie sind nur für Ihre Organisation angemeldet. Melden Sie sich auf einem eigenen Weg an, um Ihr Konto zu sehen.',
    verified: 'Ihre Adresse ist bestätigt. Melden Sie sich jetzt an.',
    password: 'Ihr Passwort ist gesetzt. Melden Sie sich damit an.',
    logged_out: 'Sie sind abgemeldet.',
    too_late: 'Die Anmeldung hat zu lange gedauert. Melden Sie sich noch einmal an.',
    changed: 'Ihr Konto verwendet jetzt die neue Adresse.',
    removed: 'Der zweite Faktor ist entfernt.',
    passkey_added: 'Der Passkey ist hinzugefügt. Sie können sich jetzt damit anmelden.',
    passkey_removed: 'Der Passkey ist entfernt.',
    again: 'Melden Sie sich noch einmal an, bevor Sie ändern, wie Sie sich anmelden.',
    ended: 'Die Sitzungen sind beendet.',
    confirmed: 'Diese Sitzung ist bestätigt.',
    accepted: 'Sie sind jetzt Mitglied der Organisation.',
    declined: 'Die Einladung ist abgelehnt.',
    turned: 'Sie arbeiten jetzt in dieser Organisation.',
    left: 'Sie haben die Organisation verlassen.',
    made: 'Die Organisation ist angelegt. Wählen Sie „Hier arbeiten“, um zu beginnen.',
  },
  faults: {
    invalid_credentials:
      'Die Adresse oder das Passwort ist falsch. Prüfen Sie beides, oder setzen Sie ein neues Passwort.',
    mfa_verification_failed:
      'Der Code ist falsch oder wurde schon verwendet. Warten Sie auf den nächsten und prüfen Sie die Uhr des Geräts.',
    mfa_challenge_invalid:
      'Es waren zu viele Versuche, oder es hat zu lange gedauert. Versuchen Sie es noch einmal.',
    one_time_token_invalid:
      'Der Link gilt nicht mehr. Fordern Sie eine neue Mail an und verwenden Sie die neueste.',
    email_taken:
      'Ein anderes Konto hat diese Adresse. Wählen Sie eine andere oder melden Sie sich dort an.',
    signup_closed:
      'Konten gibt es hier nur auf Einladung. Bitten Sie einen Administrator um eine Einladung.',
    last_credential:
      'Das ist der letzte Weg, sich an Ihrem Konto anzumelden. Setzen Sie zuerst ein Passwort, oder fügen Sie einen anderen Passkey hinzu.',
    login_codes_off: 'Hier werden keine Codes per Mail gesendet. Melden Sie sich anders an.',
    sso_required:
      'Ihre Organisation verlangt die Anmeldung bei ihrem eigenen Anbieter. Gehen Sie zurück und wählen Sie ihn.',
    second_factor_required:
      'Diese Organisation verlangt einen zweiten Faktor. Fügen Sie Ihrem Konto eine Authenticator-App oder einen Passkey hinzu, melden Sie sich damit neu an, und versuchen Sie es dann noch einmal.',
    login_method_not_allowed:
      'Ihre Organisation erlaubt diesen Weg der Anmeldung nicht. Gehen Sie zurück und wählen Sie einen anderen.',
    session_too_old: 'Diese Organisation verlangt eine neuere Anmeldung. Melden Sie sich neu an.',
    session_bound:
      'Sie haben sich beim Anbieter einer Organisation angemeldet. Melden Sie sich auf eigenem Weg an, um das zu tun.',
    tenant_not_found: 'Diesen Mandanten gibt es nicht. Prüfen Sie die Adresse, die hierher führte.',
    captcha_required:
      'Senden Sie das Formular noch einmal. Ihr Browser löst zuerst eine kleine Aufgabe, die Roboter bremst.',
    rate_limited:
      'Es waren zu viele Versuche. Warten Sie {n} Sekunden und versuchen Sie es noch einmal.',
    overloaded: 'Die Plattform ist ausgelastet. Versuchen Sie es gleich noch einmal.',
    csrf_failed:
      'Dieses Formular kam nicht von dieser Seite, oder die Seite ist zu alt. Senden Sie es noch einmal.',
    quota_exceeded:
      'Sie haben davon schon so viele, wie ein Konto haben darf. Entfernen Sie zuerst etwas.',
    already_exists: 'Das wird schon verwendet. Wählen Sie etwas anderes.',
    last_administrator:
      'Die Organisation hätte keinen Administrator mehr. Geben Sie zuerst einem anderen Mitglied diese Rolle.',
    invitation_not_found: 'Die Einladung wurde zurückgezogen.',
    permission_denied: 'Das dürfen Sie nicht. Fragen Sie die Verwaltung der Organisation.',
    slug: 'Verwenden Sie 3 bis 40 Kleinbuchstaben, Ziffern und Bindestriche.',
    other: 'Das hat nicht funktioniert. Prüfen Sie Ihre Eingaben und versuchen Sie es noch einmal.',
    email: 'Das ist keine Mailadresse. Geben Sie eine wie ann@example.com ein.',
    required: 'Dieses Feld ist leer. Füllen Sie es aus.',
    min_length: 'Das Passwort ist zu kurz. Wählen Sie mindestens 12 Zeichen.',
    max_length: 'Das ist zu lang. Geben Sie höchstens 128 Zeichen ein.',
    common_password:
      'Das Passwort ist leicht zu erraten. Fügen Sie Wörter hinzu, die nichts miteinander zu tun haben.',
    breached_password:
      'Dieses Passwort steht in einer öffentlichen Liste gestohlener Passwörter. Wählen Sie ein anderes.',
    contains_identity: 'Das Passwort enthält Ihre Mailadresse. Wählen Sie ein anderes.',
  },
}
