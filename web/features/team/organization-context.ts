import { createContext, useContext } from 'react'
import type { OrganizationView } from '../../sync/organizations.ts'

export const OrganizationContext = createContext<OrganizationView | undefined>(undefined)

/** The organization of the surrounding frame. */
export function useOrganizationView(): OrganizationView {
  const view = useContext(OrganizationContext)
  if (!view) throw new Error('no organization around')
  return view
}
