/** All German texts, loaded as one chunk before the page is drawn in German. The keys are the names of the catalogues. */
import { de as firstPaint } from '../worker/contract/texts/de.ts'
import { de as imports } from './features/account/import/texts/de.ts'
import { de as memory } from './features/account/memory/texts/de.ts'
import { de as prompts } from './features/account/prompts/texts/de.ts'
import { de as account } from './features/account/texts/de.ts'
import { de as tools } from './features/account/tools/texts/de.ts'
import { de as usage } from './features/account/usage/texts/de.ts'
import { de as billing } from './features/billing/texts/de.ts'
import { de as approvals } from './features/chat/approvals/texts/de.ts'
import { de as price } from './features/chat/composer/price/texts/de.ts'
import { de as serverInserts } from './features/chat/composer/server-inserts/texts/de.ts'
import { de as composer } from './features/chat/composer/texts/de.ts'
import { de as message } from './features/chat/message/texts/de.ts'
import { de as models } from './features/chat/models/texts/de.ts'
import { de as queue } from './features/chat/queue/texts/de.ts'
import { de as research } from './features/chat/research/texts/de.ts'
import { de as nameQuestion } from './features/chat/thread/name-question/texts/de.ts'
import { de as thread } from './features/chat/thread/texts/de.ts'
import { de as palette } from './features/palette/texts/de.ts'
import { de as library } from './features/shell/library/texts/de.ts'
import { de as share } from './features/shell/share/texts/de.ts'
import { de as shell } from './features/shell/texts/de.ts'
import { de as invitation } from './features/sign-in/invitation/texts/de.ts'
import { de as signIn } from './features/sign-in/texts/de.ts'
import { de as team } from './features/team/texts/de.ts'
import { de as authRefusals } from './lib/auth-refusals/texts/de.ts'
import { germanModelDescriptions as modelDescriptions } from './lib/german-model-descriptions.ts'
import { de as sendingRefusals } from './lib/refusals/sending/texts/de.ts'
import { de as refusals } from './lib/refusals/texts/de.ts'
import { de as lib } from './lib/texts/de.ts'
import { de as toolServers } from './lib/tool-servers/texts/de.ts'
import { de as legalLinks } from './ui/legal-links/texts/de.ts'
import { de as markdown } from './ui/markdown/texts/de.ts'
import { de as partNames } from './ui/part-names/texts/de.ts'
import { de as ui } from './ui/texts/de.ts'

export const german = {
  authRefusals,
  firstPaint,
  account,
  prompts,
  memory,
  usage,
  tools,
  imports,
  lib,
  toolServers,
  modelDescriptions,
  billing,
  signIn,
  invitation,
  team,
  refusals,
  sendingRefusals,
  shell,
  share,
  library,
  palette,
  ui,
  partNames,
  legalLinks,
  models,
  composer,
  price,
  serverInserts,
  queue,
  research,
  approvals,
  message,
  thread,
  nameQuestion,
  markdown,
}
