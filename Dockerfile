# Parley on one machine, without Cloudflare (docs/deployment.md). tests/product/long/container-image.test.ts carries out these lines.
FROM node:24.22.3-slim AS build
WORKDIR /app
COPY package.json package-lock.json .npmrc ./
RUN npm ci --no-audit --no-fund
COPY . .
RUN node scripts/build.ts --when-stale
# The image has no CA certificates. workerd needs them to call providers; Node contains those of Mozilla.
RUN node --print "require('node:tls').rootCertificates.join('\n')" > certificates.pem
RUN node scripts/container/keep-runtime-packages.ts && npm prune --no-audit --no-fund
# node_modules/workerd/bin is a second copy of the executable.
RUN rm -rf web dist/local dist/wrangler dist/parley/*.map dist/parley/assets/*.map node_modules/workerd/bin && mkdir state

FROM node:24.22.3-slim
WORKDIR /app
COPY --from=build /app .
COPY --from=build --chown=node:node /app/state /data
ENV HOST=0.0.0.0 PORT=8787 STATE_DIR=/data SSL_CERT_FILE=/app/certificates.pem
VOLUME /data
EXPOSE 8787
USER node
HEALTHCHECK --interval=30s --timeout=10s --start-period=60s CMD ["node", "scripts/container/health.ts"]
CMD ["node", "scripts/container.ts"]
