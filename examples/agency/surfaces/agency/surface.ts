/** An agency: services, bookings, and what follows from them. */
import { sql, surface } from 'dodeca'
import { events } from './booking.ts'
import { bookings } from './bookings.ts'
import { followBooking } from './follow-booking.ts'
import { needs } from './needs.ts'
import { errors, services } from './services.ts'

export const agency = surface({
  name: 'agency',
  migrations: new URL('./migrations/', import.meta.url),
  needs,
  resources: [services, bookings],
  workflows: [followBooking],
  errors,
  events,
  permissions: {
    'agency.services.read': { says: 'See what can be booked', roles: ['member'] },
    'agency.bookings.read_any': {
      says: 'See the bookings of all customers',
      roles: ['tenant_admin', 'agency_host'],
    },
    'agency.bookings.deliver': {
      says: 'Deliver files for bookings',
      roles: ['tenant_admin', 'agency_host'],
    },
  },
  categories: {
    'agency.bookings': { class: 'transactional', default_channels: ['email', 'in_app'] },
  },
  templates: {
    'agency.unpaid': {
      default_locale: 'en',
      channels: {
        email: {
          subject: 'Not paid yet: {{ title }}',
          body: 'Your place is kept for two more days.',
          format: 'text',
        },
        in_app: { title: 'Not paid yet', body: '{{ title }}' },
      },
    },
  },
  purposes: {
    'agency.work': {
      largest: { any: 50 * 1024 * 1024 },
      members: true,
      derivatives: [],
      checksum: 'deferred',
      erased: true,
    },
  },
  // The rows of a customer follow from the resource. These are of the person who does the work.
  personal: [
    {
      kind: 'service_of',
      table: 'agency.services',
      owner: 'host_id',
      view: ['id', 'title', 'price_minor', 'created_at'],
      erase: 'delete',
    },
    {
      kind: 'booking_with',
      table: 'agency.bookings',
      owner: 'host_id',
      view: ['id', 'title', 'state', 'created_at'],
      erase: { set: sql`host_id = owner_id`, where: sql`t.host_id <> t.owner_id` },
    },
  ],
})
