import { createFileRoute } from '@tanstack/react-router'
import { MagicLinkPage } from '../../features/sign-in/magic-link-page.tsx'
import { type LinkFields, OpenLinkPage } from '../../features/sign-in/open-link-page.tsx'

const names = ['token', 'guest', 'callbackURL', 'errorCallbackURL'] as const

export const Route = createFileRoute('/_account/magic-link')({
  validateSearch: (search: Record<string, unknown>): LinkFields =>
    Object.fromEntries(names.flatMap((name) => (typeof search[name] === 'string' ? [[name, search[name]]] : []))),
  component: MagicLink,
})

function MagicLink() {
  const fields = Route.useSearch()
  return fields.token === undefined ? <MagicLinkPage /> : <OpenLinkPage fields={fields} />
}
