/** Name, slug, logo, sharing and deletion of an organization. */
import { useNavigate } from '@tanstack/react-router'
import { useState } from 'react'
import { maxOrganizationNameChars, maxSlugChars } from '../../../worker/contract/limits.ts'
import { mayDo } from '../../../worker/contract/organization.ts'
import { authCall } from '../../lib/auth-call.ts'
import { AutosavedField } from '../../ui/autosaved-field.tsx'
import { Button } from '../../ui/button.tsx'
import { SavedMark, useMarkedSave } from '../../ui/saved-mark.tsx'
import { Definition, DefinitionList, Section } from '../../ui/section.tsx'
import { SectionErrorBoundary } from '../../ui/section-error-boundary.tsx'
import { Switch } from '../../ui/switch.tsx'
import { DeleteDialog } from './delete-organization-dialog.tsx'
import { LogoField, OrganizationLogo } from './logo-field.tsx'
import { useOrganizationView } from './organization-frame.tsx'
import { t } from './texts/en.ts'
import { useCall } from './use-call.ts'

export function OrganizationSettingsPage() {
  const { organization, role } = useOrganizationView()
  const { name, slug, logo } = organization
  const [isDeleting, setDeleting] = useState(false)
  const mayDelete = mayDo(role, 'organization', 'delete')
  return (
    <>
      {mayDo(role, 'organization', 'update') ? (
        <Section title={t('organization')}>
          <Fields />
        </Section>
      ) : (
        <Section title={t('organization')} description={t('onlyAdminsChange')}>
          <DefinitionList>
            <Definition name={t('name')}>{name}</Definition>
            {slug && <Definition name={t('slug')}>{slug}</Definition>}
            <Definition name={t('logo')}>{logo ? <OrganizationLogo name={name} logo={logo} /> : t('none')}</Definition>
          </DefinitionList>
        </Section>
      )}
      <SharingSection mayChange={mayDo(role, 'organization', 'update')} />
      <Section title={t('delete')} description={t(mayDelete ? 'deleteSectionHint' : 'onlyOwnersDelete')}>
        {mayDelete && (
          <Button variant="danger-outline" onClick={() => setDeleting(true)}>
            {t('deleteOrganization')}
          </Button>
        )}
      </Section>
      {isDeleting && (
        <SectionErrorBoundary part="dialog" onClose={() => setDeleting(false)}>
          <Deletion onClose={() => setDeleting(false)} />
        </SectionErrorBoundary>
      )}
    </>
  )
}

function SharingSection({ mayChange }: { readonly mayChange: boolean }) {
  const { organization } = useOrganizationView()
  const { mark, save } = useMarkedSave(useSave())
  const isOn = organization.isSharingOff !== true
  return (
    <Section title={t('sharedLinks')} description={t('sharedLinksHint')} mark={<SavedMark {...mark} />}>
      <DefinitionList>
        <Definition name={t('membersMayShare')}>
          {mayChange ? (
            <Switch label={t('membersMayShare')} checked={isOn} onChange={(mayShare) => save({ isSharingOff: !mayShare })} />
          ) : (
            t(isOn ? 'on' : 'off')
          )}
        </Definition>
      </DefinitionList>
    </Section>
  )
}

function Fields() {
  const { organization } = useOrganizationView()
  const saveField = useSave()
  const { mark, save } = useMarkedSave(saveField)
  return (
    <div className="flex flex-col gap-4">
      <AutosavedField
        label={t('name')}
        maxChars={maxOrganizationNameChars}
        autoComplete="organization"
        saved={organization.name}
        emptyProblem={t('enterName')}
        save={(name) => saveField({ name })}
      />
      <AutosavedField
        label={t('slug')}
        hint={t('slugHint')}
        maxChars={maxSlugChars}
        autoComplete="off"
        spellCheck={false}
        autoCapitalize="none"
        saved={organization.slug ?? ''}
        emptyProblem={t('enterSlug')}
        save={(slug) => saveField({ slug })}
      />
      <LogoField
        name={organization.name}
        logo={organization.logo ?? null}
        mark={<SavedMark {...mark} />}
        onChange={(logo) => save({ logo })}
      />
    </div>
  )
}

type Changes = { readonly name?: string; readonly slug?: string; readonly logo?: string | null; readonly isSharingOff?: boolean }

/** Resolves with the reason of a refusal. */
function useSave(): (data: Changes) => Promise<string | undefined> {
  const { organization } = useOrganizationView()
  return async (data) => {
    const result = await authCall('organization/update', { organizationId: organization.id, data })
    return result.ok ? undefined : result.message
  }
}

function Deletion({ onClose }: { readonly onClose: () => void }) {
  const { organization } = useOrganizationView()
  const { isPending, run } = useCall()
  const navigate = useNavigate()
  const confirm = async () => {
    if (await run('delete', { organizationId: organization.id }, t('wasDeleted', { organization: organization.name })))
      await navigate({ to: '/team' })
    else onClose()
  }
  return <DeleteDialog name={organization.name} isPending={isPending} onConfirm={() => void confirm()} onClose={onClose} />
}
