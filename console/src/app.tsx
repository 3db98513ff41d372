/**
 * The frame: the menu of the places that the person may see, the search, and the page of the
 * current address.
 */
import { useEffect, useRef, useState } from 'preact/hooks'
import { DetailPage } from './detail-page.tsx'
import { HomePage } from './home.tsx'
import { chooseLanguage, language, languages, titleOf, words } from './language.ts'
import { useLiveState } from './live.ts'
import { ListPage } from './list-page.tsx'
import { findPlace, findResource, offeredPlaces } from './places/places.ts'
import { addressOf, Link, useAddress, type Address } from './router.tsx'
import { SearchBox } from './search-box.tsx'
import { SearchPage } from './search.tsx'
import { client, me } from './session.ts'
import { TracePage } from './trace.tsx'

export function App() {
  const address = useAddress()
  const [menu, setMenu] = useState(false)
  const main = useRef<HTMLElement>(null)
  const shown = [address.place, address.kind, address.item].join('/')
  const first = useRef(true)
  useEffect(() => {
    setMenu(false)
    document.title = `${titleOfAddress(address)} · Dodeca`
    // After a change of the page, the focus moves to its content, for screen readers and the
    // keyboard.
    if (!first.current) main.current?.focus()
    first.current = false
  }, [shown])
  return (
    <>
      <a class="skip" href="#main">
        {words.skip}
      </a>
      <header class="bar">
        <button
          type="button"
          class="burger"
          aria-expanded={menu}
          aria-controls="menu"
          onClick={() => setMenu(!menu)}
        >
          {words.menu}
        </button>
        <Link to={addressOf([])} class="brand">
          Dodeca
        </Link>
        <SearchBox />
        <LiveLight />
        <Languages />
        <Person />
      </header>
      <div class="frame">
        <nav id="menu" class={menu ? 'open' : undefined} aria-label={words.places}>
          <Menu address={address} />
        </nav>
        <main id="main" tabIndex={-1} ref={main} key={shown}>
          {me().withheld_permissions.length > 0 && <SecondFactor />}
          <Content address={address} />
        </main>
      </div>
    </>
  )
}

/** Without the second factor, most places of an administrator are missing. */
function SecondFactor() {
  const next = new URLSearchParams({ next: location.pathname })
  return (
    <p class="warning">
      {words.second_factor} <a href={`/account/confirm?${next}`}>{words.confirm}</a>
    </p>
  )
}

function titleOfAddress({ place: name, kind, item }: Address): string {
  if (name === null) return words.home
  const place = findPlace(name)
  const resource = place && kind !== null ? findResource(place, kind) : null
  const title = resource ?? place
  return [item?.slice(0, 40), title ? titleOf(title.title) : name].filter(Boolean).join(' · ')
}

function Menu({ address }: { readonly address: Address }) {
  return (
    <ul>
      <li>
        <Link to={addressOf([])} current={address.place === null}>
          {words.home}
        </Link>
      </li>
      {offeredPlaces().map(place => {
        const here = address.place === place.name
        const [first] = place.resources
        return (
          <li key={place.name}>
            <Link
              to={addressOf([place.name, first?.name ?? ''])}
              current={here && place.resources.length === 1}
              class={here ? 'here' : undefined}
            >
              {titleOf(place.title)}
            </Link>
            {here && place.resources.length > 1 && (
              <ul>
                {place.resources.map(one => (
                  <li key={one.name}>
                    <Link
                      to={addressOf([place.name, one.name])}
                      current={address.kind === one.name}
                    >
                      {titleOf(one.title)}
                    </Link>
                  </li>
                ))}
              </ul>
            )}
          </li>
        )
      })}
      <li>
        <Link to={addressOf(['trace'])} current={address.place === 'trace'}>
          {words.trace}
        </Link>
      </li>
    </ul>
  )
}

function Content({ address }: { readonly address: Address }) {
  const { place: name, kind, item, filters } = address
  if (name === null) return <HomePage />
  if (name === 'search') return <SearchPage asked={kind ?? ''} />
  if (name === 'trace') return <TracePage asked={kind ?? ''} />
  const place = findPlace(name)
  const resource = place && findResource(place, kind ?? place.resources[0]?.name ?? '')
  if (!place || !resource) return <h1>{words.not_there}</h1>
  return item === null ? (
    <ListPage {...{ place, resource, filters }} />
  ) : (
    <DetailPage {...{ place, resource, item, filters }} />
  )
}

function LiveLight() {
  const state = useLiveState()
  return (
    <span class={`light ${state}`} role="status" title={words.live_state[state]}>
      <span class="unseen">{words.live_state[state]}</span>
      <span aria-hidden="true">{words.live}</span>
    </span>
  )
}

function Languages() {
  return (
    <select
      aria-label={words.language}
      value={language}
      onChange={event => chooseLanguage(event.currentTarget.value)}
    >
      {languages.map(([code, name]) => (
        <option key={code} value={code}>
          {name}
        </option>
      ))}
    </select>
  )
}

function Person() {
  const leave = async () => {
    await client().logout()
    location.assign('/account/login?done=logged_out')
  }
  const { tenants, active_tenant_id } = me()
  const organization = tenants.find(({ id }) => id === active_tenant_id)
  return (
    <span class="person">
      <a href="/account/" title={words.account}>
        <bdi>{me().email}</bdi>
      </a>
      {organization && <bdi class="soft">{organization.slug}</bdi>}
      <button type="button" onClick={() => void leave()}>
        {words.log_out}
      </button>
    </span>
  )
}
