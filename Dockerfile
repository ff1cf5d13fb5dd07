# Parley alone, without a system around it: the program, certificates, its user, and folders for data and temporary files.
# docker build -t parley --build-arg COMMIT="$(git rev-parse HEAD)" .
# TAGS=novoice leaves out voice sessions. COMMIT is what "parley version" names: the repository is not part of the build.
FROM golang:1.26 AS build
WORKDIR /src
COPY go.mod go.sum ./
COPY deps deps
RUN go mod download
COPY . .
ARG TAGS=
ARG COMMIT=
RUN go run web/pack.go && \
    CGO_ENABLED=0 go build -trimpath -tags "parley_packed,$TAGS" -ldflags "-s -w -funcalign=16 -X main.commit=$COMMIT" -o /parley ./cmd/parley && \
    deploy/image-root /parley /image

FROM scratch
COPY --from=build /image/etc /etc
COPY --from=build /image/parley /parley
COPY --from=build --chown=10001:10001 /image/data /data
COPY --from=build --chown=10001:10001 /image/tmp /tmp
USER 10001:10001
ENV PARLEY_DATA=/data PARLEY_LISTEN=0.0.0.0:8080
VOLUME /data
# HTTP, and sound: TCP and UDP
EXPOSE 8080 7881 7882/udp
STOPSIGNAL SIGTERM
HEALTHCHECK --interval=30s --timeout=12s --start-period=30s CMD ["/parley", "health"]
ENTRYPOINT ["/parley"]
CMD ["serve"]
