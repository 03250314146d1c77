/** The teams of the organization. Only its members can join. */
import { Plus, UsersRound } from 'lucide-react'
import { useState } from 'react'
import { maxTeams } from '../../../worker/contract/limits.ts'
import { mayDo } from '../../../worker/contract/organization.ts'
import { Button } from '../../ui/button.tsx'
import { EmptyState } from '../../ui/empty-state.tsx'
import { Section } from '../../ui/section.tsx'
import { SectionErrorBoundary } from '../../ui/section-error-boundary.tsx'
import { useOrganizationView } from './organization-frame.tsx'
import { TeamCard } from './team-card.tsx'
import { TeamNameDialog } from './team-name-dialog.tsx'
import { t } from './texts/en.ts'
import { useCall } from './use-call.ts'

export function TeamsPage() {
  const { organization, teams, role } = useOrganizationView()
  const { run } = useCall()
  const [isCreating, setCreating] = useState(false)
  const reason = !mayDo(role, 'team', 'create') ? t('onlyAdmins') : teams.length >= maxTeams ? t('teamLimit') : undefined
  return (
    <Section
      title={t('teams')}
      action={
        <Button size="sm" onClick={() => setCreating(true)} disabledReason={reason}>
          <Plus aria-hidden="true" className="size-3.5" />
          {t('newTeam')}
        </Button>
      }
    >
      {teams.length === 0 ? (
        <EmptyState icon={UsersRound}>{t('noTeams')}</EmptyState>
      ) : (
        <ul className="flex flex-col gap-4">
          {teams.map((team) => (
            <TeamCard key={team.id} team={team} />
          ))}
        </ul>
      )}
      {isCreating && (
        <SectionErrorBoundary part="dialog" onClose={() => setCreating(false)}>
          <TeamNameDialog
            title={t('newTeam')}
            action={t('create')}
            name=""
            onClose={() => setCreating(false)}
            onSave={(name) => run('create-team', { organizationId: organization.id, name })}
          />
        </SectionErrorBoundary>
      )}
    </Section>
  )
}
