import { createFileRoute, notFound, Outlet } from '@tanstack/react-router'
import { idSchema } from '../../../../../worker/contract/ids.ts'
import { OrganizationFrame } from '../../../../features/team/organization-frame.tsx'

export const Route = createFileRoute('/_live/_team/team/$organizationId')({
  beforeLoad: ({ params: { organizationId } }) => {
    if (!idSchema.safeParse(organizationId).success) throw notFound()
  },
  component: Organization,
})

function Organization() {
  const { organizationId } = Route.useParams()
  return (
    <OrganizationFrame organizationId={organizationId}>
      <Outlet />
    </OrganizationFrame>
  )
}
